//go:build long

package others

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A programBench runs programs of Go's own tests, those under GOROOT/test.
type programBench struct {
	*run.Job
	root     string // the GOROOT/test where they are
	version  string // of the go command that builds them
	language string // the go line of their module
	limit    time.Duration
	programs []*program
}

// sample names programs that have a bit of everything.
//
//go:embed testdata/sample.txt
var sample string

var (
	allPrograms  = flag.Bool("all", false, "run all programs of GOROOT/test, plainly and instrumented")
	programPages = flag.String("page", "", "with -all: file for the page")
)

// TestRunSuite runs programs of Go's own test suite instrumented. A program that does plainly what
// Go expects of it must do the same when it is recorded, must leave a trace that is whole and
// legal, and must do the same when its instrumented binary is run without recording. Without
// -all it runs some programs, of which it is known that they pass plainly.
func TestRunSuite(t *testing.T) {
	b := newProgramBench(run.New(t.Context(), "run-suite", t.TempDir()))
	if *allPrograms {
		b.limit = 5 * time.Minute
		b.programs = listPrograms(b.root, func(string) bool { return true })
		b.plain(b.programs)
		made := b.generated()
		b.plain(made)
		b.programs = append(b.programs, made...)
	} else {
		names := strings.Fields(sample)
		require.Len(t, names, 76)
		b.programs = listPrograms(b.root, func(name string) bool { return slices.Contains(names, name) })
		require.Len(t, b.programs, len(names))
		for _, p := range b.programs {
			p.copy(b.Dir, b.language)
		}
	}
	b.instrumented(b.programs)
	page := b.page()
	assert.Empty(t, page.Different)
	text := strings.ReplaceAll(run.Render(os.DirFS("."), "run-suite.md", page), b.Dir+string(filepath.Separator), "")
	if *programPages != "" {
		run.WriteFile(*programPages, text)
	}
	if !*allPrograms {
		assert.Empty(t, page.Skipped)
		assert.Contains(t, text, "| 76 | 76 | 76 | 0 | 0.00 |")
		assert.Contains(t, text, "\n## Different\n\nNone.\n\n## Same")
	}
}

func newProgramBench(j *run.Job) *programBench {
	goroot, version, language := j.Goroot()
	return &programBench{Job: j, root: findTests(goroot), version: version, language: language, limit: 2 * time.Minute}
}

// findTests returns the folder test of goroot. Toolchains that GOTOOLCHAIN downloads come without
// it; then it is that of another go command in PATH.
func findTests(goroot string) string {
	roots := []string{goroot}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, "go")); err == nil {
			if path, err = filepath.EvalSymlinks(path); err == nil {
				roots = append(roots, filepath.Dir(filepath.Dir(path)))
			}
		}
	}
	for _, root := range roots {
		if _, err := os.Stat(filepath.Join(root, "test", "typeparam")); err == nil {
			return filepath.Join(root, "test")
		}
	}
	run.Fail("expected Go's own tests, the folder test of a complete GOROOT; found it in none of %s", strings.Join(roots, ", "))
	return ""
}

// plain copies programs, and builds and runs them plainly.
func (b *programBench) plain(programs []*program) {
	for _, p := range programs {
		run.In(p.name, func() { p.copy(b.Dir, b.language) })
	}
	for _, g := range grouped(programs) {
		b.Log("%s and %d more, plainly", g.programs[0].name, len(g.programs)-1)
		bin := b.Sub("plain")
		if g.keepLoadable(b.Job); len(g.programs) > 0 {
			g.build(b.Job, bin)
		}
		run.Each(len(g.programs), func(k int) {
			p := g.programs[k]
			did := b.execute(p, p.binary(bin))
			if p.kind == kindOutput {
				p.want = did.Output
			}
			p.Plain = differs(did, p.want)
		})
		run.Check(os.RemoveAll(bin))
	}
}

// generated returns the programs that programs have written.
func (b *programBench) generated() (made []*program) {
	for _, p := range b.programs {
		if p.kind != kindOutput || p.Plain != "" {
			continue
		}
		file := filepath.Join(b.Dir, "written", strings.ReplaceAll(p.name, "/", "_"))
		run.WriteFile(file, p.want)
		made = append(made, &program{name: p.name + ":output", kind: kindRun, sources: []string{file}, want: wanted(p.sources[0])})
	}
	return made
}

// instrumented builds and runs those programs that passed plainly, with instrumentation.
func (b *programBench) instrumented(programs []*program) {
	programs = slices.DeleteFunc(slices.Clone(programs), func(p *program) bool { return p.Plain != "" })
	for _, g := range grouped(programs) {
		b.Log("%s and %d more, instrumented", g.programs[0].name, len(g.programs)-1)
		work := b.Sub("instrumented")
		sites := g.instrument(b.Job, work)
		run.Each(len(g.programs), func(k int) {
			if p := g.programs[k]; p.Failed == "" {
				b.record(p, p.binary(filepath.Join(work, "bin")), sites)
			}
		})
		run.Check(os.RemoveAll(work))
	}
}

// execute runs a binary of p where Go's own tests run it.
func (b *programBench) execute(p *program, binary string, env ...string) run.Process {
	return b.Run(run.Command{Dir: b.root, Env: env, Limit: b.limit, Args: append([]string{binary}, p.args...)})
}

// traceLimit is how much of a run is recorded (unit: bytes of events): enough for nearly all
// programs, and little enough to check a thousand traces.
const traceLimit = 16 << 20

// record runs the instrumented binary of p, once with a trace and once without, and notes what is
// different.
func (b *programBench) record(p *program, binary string, sites []trace.Site) {
	file := binary + ".trace"
	defer os.Remove(file)
	p.Failed = differs(b.execute(p, binary, recorder.RecordingVariable(file, traceLimit)), p.want)
	if p.Failed == "" {
		p.Failed = p.check(file, sites)
	}
	if p.Failed == "" {
		if different := differs(b.execute(p, binary), p.want); different != "" {
			p.Failed = "not recorded: " + different
		}
	}
}

// check says what is wrong with p's trace.
func (p *program) check(file string, sites []trace.Site) string {
	t, err := trace.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "" // the run-time library is linked only if something calls it
	} else if err != nil {
		return err.Error()
	}
	t.AddSites(sites)
	p.cut = t.Meta.Limit > 0
	if err := trace.Validate(t); err != nil {
		return err.Error()
	}
	if !t.Complete && !p.cut {
		return "the trace has no end"
	}
	return ""
}

// logTime is what package log writes before a line; the page leaves it out, so that it changes
// with the programs only.
var logTime = regexp.MustCompile(`(?m)^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d `)

// differs says in what a run is not that of a program that exits with 0 and prints want, "" if in
// nothing.
func differs(p run.Process, want string) string {
	switch {
	case !p.Ended || p.Code != 0:
		said, _, _ := strings.Cut(p.Output, "\ngoroutine ")
		return p.State + ": " + excerpt(logTime.ReplaceAllString(said, ""))
	case p.Output != want:
		return "expected output " + excerpt(firstDifference(want, p.Output)) + ", found " + excerpt(firstDifference(p.Output, want))
	}
	return ""
}

// firstDifference is what a has from the first line on that b does not have.
func firstDifference(a, b string) string {
	for {
		line, rest, more := strings.Cut(a, "\n")
		other, otherRest, _ := strings.Cut(b, "\n")
		if line != other || !more {
			return a
		}
		a, b = rest, otherRest
	}
}

func excerpt(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// A programPage is what the template of the page gets.
type programPage struct {
	Version                       string
	All, Counted, Same, Cut       int
	Share                         float64 // of those counted that are different, in percent
	Different, Skipped, Uncounted []programNote
}

// A programNote is a program and what there is to say of it.
type programNote struct{ Name, Note string }

// page sorts the programs by what they did.
func (b *programBench) page() programPage {
	slices.SortFunc(b.programs, func(x, y *program) int { return cmp.Compare(x.name, y.name) })
	p := programPage{Version: b.version, All: len(b.programs)}
	for _, program := range b.programs {
		for notes, note := range map[*[]programNote]string{&p.Uncounted: program.Plain, &p.Different: program.Failed, &p.Skipped: program.skipped} {
			if note != "" {
				*notes = append(*notes, programNote{program.name, note})
			}
		}
		if program.cut {
			p.Cut++
		}
	}
	p.Counted = p.All - len(p.Uncounted)
	p.Same = p.Counted - len(p.Different)
	p.Share = 100 * float64(len(p.Different)) / float64(max(p.Counted, 1))
	return p
}

// instrument builds g's programs with instrumentation, below work, and notes which of them that
// cannot be done with. It returns the sites.
func (g *group) instrument(j *run.Job, work string) (sites []trace.Site) {
	defer g.setExperiment()()
	var said bytes.Buffer
	var build *recorder.Build
	err := run.Catch(func() { build = g.prepare(j, work, &said) })
	if refused, ok := errors.AsType[*recorder.UsageError](err); ok {
		for _, p := range g.programs {
			p.Failed = "refused: " + refused.Error()
		}
		return nil
	}
	run.Check(err)
	bin := filepath.Join(work, "bin")
	err = build.Commands(j.Context(), bin)
	run.Check(j.Context().Err())
	skipped := make(map[string]string)
	for _, t := range build.Tested {
		var all []string
		for _, f := range build.SkippedFiles(t) {
			if filepath.Base(f.File) != emptyAssembly {
				all = append(all, filepath.Base(f.File)+": "+f.Reason)
			}
		}
		skipped[t.Path] = strings.Join(all, "; ")
	}
	for _, p := range g.programs {
		if _, err := os.Stat(p.binary(bin)); err != nil {
			p.Failed = "does not build: " + complaint(said.String(), p.pkg)
		}
		p.skipped = skipped[p.pkg]
	}
	if said.Len() == 0 {
		run.Check(err)
	}
	return build.Sites
}
