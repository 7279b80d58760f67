// Package others has the suites of other people's tests and programs: those of public modules,
// of std and of Go itself, which have to come out under gopredict as they do without, and what
// recording and predicting costs them.
package others

import (
	"embed"
	"path/filepath"

	"github.com/gopredict/gopredict/internal/measure/run"
)

//go:embed pages
var pages embed.FS

// Suites are those of this package.
var Suites = []run.Suite{
	{Name: "modules", About: "whole modules: what they take plainly, under -race and through gopredict", Run: measureModules, Rooms: run.WholeCommand()},
	{Name: "steady", About: "whether the findings are the same under load and on one processor", Run: steady, Rooms: run.WholeCommand()},
	{Name: "suites", About: "whether each test of modules and std comes out as without gopredict", Run: suites, Rooms: run.WholeCommand()},
	{Name: "unseen", About: "the same of modules that were not looked at before", Run: unseen, Rooms: run.WholeCommand()},
	{Name: "run-suite", About: "whether the programs of GOROOT/test do when they are instrumented", Run: runSuite, Rooms: []string{"recorder"}},
	{Name: "speed", About: "what recording and building cost, beside -race", Run: speed, Rooms: []string{"recorder", "testdata/applications/kernels"}},
}

// runSuite runs the test of the programs of GOROOT/test, with all of them.
func runSuite(j *run.Job) bool {
	j.Parse()
	page := filepath.Join(j.Dir, "run-suite.md")
	good := j.Test("./internal/measure/others", "^TestRunSuite$", "-all", "-page="+page)
	j.WriteText(run.ReadFile(page))
	return good
}
