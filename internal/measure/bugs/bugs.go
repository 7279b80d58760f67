// Package bugs has the suites of subjects with known bugs: what of these the command finds, and
// in how many runs or replays. Each suite is a function of a [run.Job]; pages has the templates
// of what they write.
package bugs

import (
	"embed"
	"os"
	"path/filepath"
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/internal/report"
)

//go:embed pages
var pages embed.FS

// Suites are those of this package.
var Suites = []run.Suite{
	{Name: "leaks", About: "Go's own test of its goroutine-leak profile", Run: leaks, Rooms: run.WholeCommand()},
	{Name: "race-suite", About: "Go's own test of its race detector, beside -race", Run: raceSuite, Rooms: run.WholeCommand()},
	{Name: "variations", About: "many forms of common bugs, beside -race", Run: variations, Rooms: run.WholeCommand("testdata/kinds/variations")},
	{Name: "correct", About: "correct tests, of which nothing may be confirmed", Run: correct, Rooms: run.WholeCommand("testdata/negatives/correct")},
	{Name: "forms", About: "forms of what was told wrongly, beside go test and -race", Run: forms, Rooms: run.WholeCommand("testdata/kinds/forms", "testdata/kinds/blocking", "testdata/kinds/late", "testdata/kinds/stdmemory", "testdata/negatives/right", "testdata/negatives/correct", "internal/edits")},
	{Name: "exploring", About: "runs until a bug is seen, beside random schedulers", Run: exploring, Rooms: run.WholeCommand("testdata/papers/sctbench", "testdata/kinds/reach")},
	{Name: "edits", About: "what gopredict replay says of bugs after edits", Run: edits, Rooms: run.WholeCommand("internal/edits")},
	{Name: "replay", About: "whether replays under load, on one processor, … reach their bugs", Run: replay, Rooms: run.WholeCommand("testdata/applications", "testdata/kinds", "testdata/papers")},
	{Name: "tiers", About: "what is lost without each tier of the analysis", Run: tiers, Rooms: []string{"analysis", "testdata/kinds/variations", "testdata/papers/programs", "testdata/papers/sctbench"}},
}

// clearWitnesses removes what an earlier command has saved in a package: it would be replayed.
func clearWitnesses(dir string) { run.Check(os.RemoveAll(filepath.Join(dir, "testdata"))) }

// confirmed returns the findings that are confirmed.
func confirmed(findings []report.Finding) []report.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f report.Finding) bool { return f.Status != bug.Confirmed })
}
