package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
)

// pluginPackage is the import path of package gotestplugin.
const pluginPackage = "github.com/gopredict/gopredict/gotestplugin"

// runDoctor checks, before anything is built, what will work here for the flags and packages of a test
// command. The exit code is exitFailed if something will not.
func (s *session) runDoctor(ctx context.Context, args []string) (int, error) {
	opts, args, err := parseOptions(s.env, args)
	if err != nil {
		return exitUsage, err
	}
	goArgs, err := s.parseTest(args)
	if err != nil {
		return exitUsage, err
	}
	code := exitOK
	check := func(what, well string, err error) {
		if err != nil {
			code = exitFailed
			s.answerf("no  %s: %v", what, err)
			return
		}
		s.answerf("ok  %s: %s", what, well)
	}
	env, err := gotool.ReadEnv(ctx, s.dir)
	check("go command", fmt.Sprintf("%s in %s", env.GOVERSION, env.GOROOT), err)
	if err != nil {
		return code, nil
	}
	conf := &recorder.Config{Dir: s.dir, Args: goArgs, Env: env, InstrumentPatterns: opts.pkgs}
	check("Go release, system and flags", fmt.Sprintf("%s for %s/%s", env.GOVERSION, env.GOOS, env.GOARCH), conf.Check())
	if system := conf.UntestedSystem(); system != "" {
		s.answerf("    %s", untriedText(system))
	}
	if why := conf.UnrecordableFlag(); why != "" {
		check("what is run", "", fmt.Errorf("with %s nothing is recorded and predicted", why))
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		err = writable(filepath.Join(cache, "gopredict"))
	}
	check("cache folder", cache, err)
	check("temporary folder", os.TempDir(), writable(os.TempDir()))
	if env.InModule() {
		s.checkPackages(ctx, env, goArgs, check)
	}
	return code, nil
}

// untriedText returns the warning for a system on which nobody has recorded a test yet.
func untriedText(system string) string {
	return system + ": compiled, not tried: please report what it does there"
}

// writable returns an error if no files can be made in a folder, which it makes if needed.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkPackages checks which packages have tests, and whether go test -predict works in this folder.
func (s *session) checkPackages(ctx context.Context, env gotool.Env, args gotool.TestArgs, check func(what, well string, err error)) {
	const format = "{{.ImportPath}}\t{{len .TestGoFiles}}{{len .XTestGoFiles}}\t{{len .CgoFiles}}"
	out, err := gotool.Output(ctx, s.dir, slices.Concat([]string{"list", "-f", format}, args.LoadFlags(), []string{"--"}, args.Packages)...)
	if err != nil {
		check("packages", "", err)
		return
	}
	all, tested, cgo := 0, 0, []string(nil)
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) < 3 {
			continue
		}
		all++
		if f[1] != "00" {
			tested++
		}
		if f[2] != "0" {
			cgo = append(cgo, f[0])
		}
	}
	// Check that their imports are there, and that their tests can be parsed.
	if _, err = gotool.Output(ctx, s.dir, slices.Concat([]string{"list", "-test", "-deps"}, args.LoadFlags(), []string{"--"}, args.Packages)...); err == nil && tested == 0 {
		err = errors.New("none of them has tests; `gopredict doctor ./...` looks at all below")
	}
	check("packages", fmt.Sprintf("%d, of which %d have tests", all, tested), err)
	if len(cgo) > 0 {
		s.answerf("    memory accesses in files that import \"C\" are not recorded: %s", strings.Join(cgo, ", "))
	}
	here, err := gotool.Output(ctx, s.dir, slices.Concat([]string{"list", "-f", "{{.TestImports}}{{.XTestImports}}"}, args.LoadFlags(), []string{"--", "."})...)
	switch {
	case err == nil && strings.Contains(string(here), pluginPackage):
		check("go test -predict", "the tests in this folder import gotestplugin", nil)
	case err == nil:
		s.answerf("    go test -predict does not work in this folder, as no test in it imports %s; %s test does", pluginPackage, ownName(env))
	default: // go test would take the package of this folder
		s.answerf("    go test -predict does not work in this folder, as it has no Go files; type %s test ./...", ownName(env))
	}
}
