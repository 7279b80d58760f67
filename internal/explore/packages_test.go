package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/recording"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/replayer/witness"
)

// exploration returns one of packages p0, p1 and so on with traces of these sizes that hold nothing; -1 is none.
func exploration(t *testing.T, sizes ...int) (*Exploration, []recorder.Run) {
	var runs []recorder.Run
	for k, size := range sizes {
		run := recorder.Run{Package: recorder.Package{Path: fmt.Sprint("p", k)}, Result: recorder.Pass}
		if size >= 0 {
			run.Trace = filepath.Join(t.TempDir(), "trace")
			require.NoError(t, os.WriteFile(run.Trace, make([]byte, size), 0o600))
		}
		runs = append(runs, run)
	}
	return New(new(recorder.Build), gotool.Env{}, t.TempDir(), report.NewStatus(os.Stderr), Options{}), runs
}

// packagesOf are those of the report.
func packagesOf(x *Exploration) (paths []string) {
	for _, p := range x.Report.Packages {
		paths = append(paths, p.Package)
	}
	return paths
}

// Each package is in the report, in its place, whichever is explored first, and whatever room their traces take.
func TestExplore(t *testing.T) {
	room := runtime.GOMAXPROCS(0) * recording.ShortTrace
	for _, most := range []int{1, 2, 9} {
		x, runs := exploration(t, 1, room, -1, room/2, room+1, room/2+1, 2*room, 0, room, -1)
		x.session.opts.MaxConcurrentPackages = most
		require.NoError(t, x.Explore(t.Context(), runs))
		assert.Equal(t, []string{"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"}, packagesOf(x))
		assert.Len(t, x.Report.Warnings, 8, "no trace can be read")
		assert.True(t, x.AnalysisFailed)
	}
}

// What has ended is why, and what nobody came to is in the report with what its tests have shown.
func TestExploreEnded(t *testing.T) {
	for _, most := range []int{1, 2} {
		x, runs := exploration(t, 1, 4*runtime.GOMAXPROCS(0)*recording.ShortTrace, -1)
		x.session.opts.MaxConcurrentPackages = most
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(over)
		assert.ErrorIs(t, x.Explore(ctx, runs), over)
		assert.Equal(t, []string{"p0", "p1", "p2"}, packagesOf(x))
		x.Interrupt(over)
		x.Interrupt(over)
		assert.Equal(t, []string{"over"}, x.Report.Incomplete)
	}
}

// A bug that two packages show is reported once, with one witness: that of the first one.
func TestJoin(t *testing.T) {
	x, _ := exploration(t)
	x.session.opts.WitnessFolder = "testdata/predict"
	var folders []string
	for k := range 2 {
		l := x.session.newLoop(recorder.Run{Package: recorder.Package{Path: fmt.Sprint("p", k), Dir: t.TempDir()}})
		for _, line := range []int{7, 8 + k} {
			w := &witness.Witness{Kind: bug.Race, Package: l.ledger.FirstRun.Package.Path, Tests: []string{"TestA"}}
			f := report.Finding{ID: fmt.Sprint("race-", line), Kind: bug.Race, Status: bug.Confirmed, Accesses: []report.Access{{Position: report.Position{File: "a.go", Line: line}}}}
			l.confirmer.KeepEntry(finding.Entry{Finding: f, ConfirmedBug: f.BugKey(), WitnessToSave: w})
		}
		l.ledger.NoteIncomplete("late")
		x.joinReport(l)
		folders = append(folders, filepath.Join(l.ledger.Witnesses.Paths.Witnesses.Path(), "TestA"))
	}
	var lines []int
	for _, f := range x.Report.Findings {
		lines = append(lines, f.Accesses[0].Line)
	}
	assert.Equal(t, []int{7, 8, 9}, lines)
	assert.Equal(t, []string{"late"}, x.Report.Incomplete)
	for k, want := range [][]string{{"race-7", "race-8"}, {"race-9"}} {
		var names []string
		all, err := os.ReadDir(folders[k])
		require.NoError(t, err)
		for _, f := range all {
			names = append(names, f.Name())
		}
		assert.Equal(t, want, names)
	}
}

// In one folder for all packages, those of packages below another one are none of its witnesses.
func TestWitnessesOfPackagesBelow(t *testing.T) {
	x, _ := exploration(t)
	x.session.opts.WitnessFolder = t.TempDir()
	own := filepath.Join(x.session.opts.WitnessFolder, "m", "TestA", "race-7")
	for _, file := range []string{own, filepath.Join(x.session.opts.WitnessFolder, "m", "below", "TestB", "race-8")} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, nil, 0o666))
	}
	files, err := x.session.newLoop(recorder.Run{Package: recorder.Package{Path: "m"}}).committedFiles()
	require.NoError(t, err)
	assert.Equal(t, []string{own}, files)
}
