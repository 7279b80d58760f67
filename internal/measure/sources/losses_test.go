//go:build long

package sources

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/measure/run"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/trace"
)

var (
	randomPackages = flag.Int("random", 1, "number of packages of random programs")
	randomPrograms = flag.Int("programs", 60, "random programs in each of them")
	randomSeed     = flag.Uint64("seed", 7, "of the first of them")
	lossesIn       = flag.String("packages", "../../../testdata/applications/rwcache", "folders of packages, by commas")
)

// TestLosses compares instrumenting all memory accesses with instrumenting those that the sharing
// analysis (package sharing) keeps: it records the tests of packages, and of random programs, with
// all of them. No access that may race, by must-order and lock sets, may be at a place that the
// analysis leaves out.
func TestLosses(t *testing.T) {
	j := run.New(t.Context(), "losses", t.TempDir())
	dirs := strings.FieldsFunc(*lossesIn, func(r rune) bool { return r == ',' })
	for i := range *randomPackages {
		dirs = append(dirs, writeRandom(j, *randomSeed+uint64(i), *randomPrograms))
	}
	text := "| package | sites | kept | events | not needed | candidates for races | lost |\n|---|--:|--:|--:|--:|--:|--:|\n"
	for _, dir := range dirs {
		c := compareSharing(j, dir)
		text += fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |\n", filepath.Base(dir), c.sites, c.kept, c.events, c.quiet, c.candidates, len(c.lost))
		assert.Empty(t, c.lost, dir)
		assert.NotZero(t, c.candidates, dir)
		assert.Less(t, c.kept, c.sites, dir)
		assert.NotZero(t, c.quiet, dir)
	}
	t.Log("\n" + text)
}

// writeRandom makes a module with n random programs.
func writeRandom(j *run.Job, seed uint64, n int) string {
	dir := filepath.Join(j.Dir, fmt.Sprint("random", seed))
	run.WriteFile(filepath.Join(dir, "random_test.go"), generate(seed, n))
	run.WriteMod(dir, "example.com/random", "1.26")
	return dir
}

// A sharingComparison is what the sharing analysis saves in one package's tests, and what it
// costs.
type sharingComparison struct {
	sites, kept   int // that the rewriter makes without and with it
	events, quiet int // reads, writes and branches; those at sites that are not kept
	candidates    int // for races
	lost          []string
}

// compareSharing instruments all of the package in dir and runs its tests. Whatever may race in
// the trace must have a site that the sharing analysis keeps.
func compareSharing(j *run.Job, dir string) *sharingComparison {
	tests := j.BuildTests(dir, recorder.Config{InstrumentAll: true})
	kept := make(map[trace.SiteID]bool)
	shared := j.Instrument(dir, recorder.Config{}).Sites
	for _, s := range shared {
		kept[s.ID] = true
	}
	// Memory is not reused, so that no two variables have the same address.
	tests.Env = []string{"GOGC=off"}
	p := tests.Run(run.Recorded, ".")
	if p.Code != 0 {
		j.Log("a failed test, which has a trace as well:\n%s", p.Output)
	}
	t, _ := tests.Trace()
	c := &sharingComparison{sites: countHooks(tests.Build.Sites), kept: countHooks(shared)}
	for i := range t.Events {
		if e := &t.Events[i]; e.Site&trace.SiteRewritten != 0 {
			c.events++
			if !kept[e.Site] {
				c.quiet++
			}
		}
	}
	races := anomaly.FindRaces(t, run.Must(order.New(t)))
	c.candidates = len(races.Candidates)
	for _, r := range races.Candidates {
		sites := [2]trace.SiteID{t.Events[r.Pairs[0][0]].Site, t.Events[r.Pairs[0][1]].Site}
		for _, id := range sites {
			if id&trace.SiteRewritten != 0 && !kept[id] {
				c.lost = append(c.lost, fmt.Sprintf("%s: of the race of %s and %s", describe(t.Sites[id]), describe(t.Sites[sites[0]]), describe(t.Sites[sites[1]])))
			}
		}
	}
	slices.Sort(c.lost)
	c.lost = slices.Compact(c.lost)
	return c
}

func describe(s trace.Site) string {
	return fmt.Sprintf("%s:%d:%d %s %s", filepath.Base(s.File), s.Line, s.Col, s.Op, s.Expr)
}

// countHooks is the number of hooks among sites.
func countHooks(sites []trace.Site) (n int) {
	for _, s := range sites {
		if s.ID != 0 {
			n++
		}
	}
	return n
}
