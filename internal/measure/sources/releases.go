package sources

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder/hooks"
)

// releases tells whether the hooks fit standard libraries, of releases that gopredict works with
// and of others: the next one, before it comes, or an old one. Each argument is a toolchain as
// GOTOOLCHAIN names it, or the folder of a Go tree that has its go command. Of each row of the
// hooks' table that does not fit it prints why. All is as it must be if that is so of no release
// that gopredict works with.
func releases(j *run.Job) bool {
	j.Parse()
	if j.NArg() == 0 {
		run.Fail("expected toolchains, as go1.27.4, or folders of Go trees, found none")
	}
	good := true
	for _, tree := range j.Args() {
		target := askRelease(j, tree)
		rows, misfits := hooks.Mismatches(target)
		said := "gopredict works with it"
		if hooks.CheckRelease(target.GOVERSION) != nil {
			said = "gopredict does not work with it"
		} else if len(misfits) > 0 {
			good = false
		}
		fmt.Printf("%s: %d of %d rows fit; %s\n", target.GOVERSION, rows-len(misfits), rows, said)
		for _, m := range misfits {
			fmt.Printf("\t%s\n", strings.Join(strings.Fields(m.Error()), " "))
		}
	}
	return good
}

// askRelease asks the go command of a tree.
func askRelease(j *run.Job, tree string) hooks.Target {
	// The folder has no module that asks for another release.
	c := run.Command{Dir: os.TempDir(), Env: []string{"GOTOOLCHAIN=" + tree}, Args: []string{"go", "env", "GOROOT", "GOVERSION", "GOOS", "GOARCH"}}
	if strings.ContainsRune(filepath.ToSlash(tree), '/') {
		c.Env, c.Args[0] = []string{"GOTOOLCHAIN=local", "GOROOT="}, filepath.Join(tree, "bin", "go")
	}
	f := strings.Split(strings.TrimSpace(j.Succeed(c).Stdout), "\n")
	if len(f) != 4 {
		run.Fail("%s: expected 4 lines, found %q", tree, f)
	}
	return hooks.Target{GOROOT: f[0], GOVERSION: f[1], GOOS: f[2], GOARCH: f[3]}
}
