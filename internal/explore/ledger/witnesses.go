package ledger

import (
	"path/filepath"
	"slices"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/evidence"
	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/places"
	"github.com/gopredict/gopredict/internal/report"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/replayer/witness"
)

// This file chooses the files of the witnesses of confirmed bugs. Witnesses are drafts until
// the last run of the package: some tests read all files of their testdata, and would behave
// differently in runs after the first bug.
//
// Many witnesses of one bug are of no use. So a bug has one file for each test, which is kept
// when the bug is confirmed again, in this run or by a later version of the program: scripts
// and baselines name bugs by these files.

// A WitnessFolder has the witnesses of a package, in a folder for each test. It is Below in
// Root, and no link leads out of Root.
type WitnessFolder struct{ Root, Below string }

// Path returns the path of the folder.
func (f WitnessFolder) Path() string { return filepath.Join(f.Root, f.Below) }

// Paths are the folders of the files that the report names, and of the witnesses of a package.
type Paths struct {
	// Root is the module root, that the report names files relative to.
	Root      string
	Witnesses WitnessFolder
}

// Relative names a file relative to the root, with forward slashes. A file outside of the root
// keeps its path.
func (p Paths) Relative(file string) string {
	if r, err := filepath.Rel(p.Root, file); err == nil && filepath.IsLocal(r) {
		return filepath.ToSlash(r)
	}
	return file
}

// Absolute returns the file that Relative has named.
func (p Paths) Absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Root, name)
}

// A Draft is a witness that is in no file yet.
type Draft struct {
	*witness.Witness
	Destination string // where it belongs, absolute
}

// Witnesses are the files of the witnesses of one package.
type Witnesses struct {
	Paths Paths
	// CommittedStates are, for the report, what became of the committed witnesses.
	CommittedStates []report.WitnessState
	// Unreached are the committed witnesses that did not reach their bugs.
	Unreached []*UnreachedWitness

	// sites are those of the current sources, by function.
	sites          map[string][]trace.Site
	committedFiles []string                // files of the committed witnesses
	savedByBug     map[string]savedWitness // by the sites of the confirmed bug
	drafts         []Draft                 // of the confirmed bugs' witnesses
}

// newWitnesses returns the files of a package that has no committed witness yet.
func newWitnesses(paths Paths, sites map[string][]trace.Site) *Witnesses {
	return &Witnesses{Paths: paths, sites: sites, savedByBug: make(map[string]savedWitness)}
}

// An UnreachedWitness witness is a committed one whose replay did not reach its bug.
type UnreachedWitness struct {
	*evidence.Evidence
	File  string // absolute
	state int    // index in [Witnesses.CommittedStates]
}

// A savedWitness witness is one that has a file.
type savedWitness struct{ test, file, id string }

// AddCommitted notes a committed witness that was replayed, with its state. If its bug was not
// reached, unreached has the evidence.
func (w *Witnesses) AddCommitted(state report.WitnessState, unreached *UnreachedWitness) {
	if state.Status != bug.Damaged {
		w.committedFiles = append(w.committedFiles, w.Paths.Absolute(state.Witness))
	}
	w.CommittedStates = append(w.CommittedStates, state)
	if unreached != nil {
		unreached.File, unreached.state = w.Paths.Absolute(state.Witness), len(w.CommittedStates)-1
		w.Unreached = append(w.Unreached, unreached)
	}
}

// StateOf returns what the report says of an unreached witness.
func (w *Witnesses) StateOf(u *UnreachedWitness) *report.WitnessState {
	return &w.CommittedStates[u.state]
}

// Place chooses the file for the witness of a confirmed entry, and keeps the draft. There
// is one file for each bug and test, also where later recordings confirm the bug with another
// effect. A committed witness of the same bug that did not reach it is replaced.
func (w *Witnesses) Place(e *finding.Entry) {
	w.renewCommitted(e)
	place := w.savedByBug[e.ConfirmedBug]
	if test := e.WitnessToSave.Tests[0]; place.test != test {
		folder := filepath.Join(w.Paths.Witnesses.Path(), test)
		var used []string
		for _, file := range w.committedFiles {
			if filepath.Dir(file) == folder {
				used = append(used, filepath.Base(file))
			}
		}
		id := witness.UniqueID(e.ID, used)
		place = savedWitness{test, filepath.Join(folder, id), id}
		w.savedByBug[e.ConfirmedBug] = place
	}
	e.ID, e.WitnessToSave.ID = place.id, place.id
	e.Witness = w.Paths.Relative(place.file)
	e.WitnessToSave.Comment = e.Heading()
	w.dropDraft(place.file)
	w.drafts = append(w.drafts, Draft{e.WitnessToSave, place.file})
}

// renewCommitted marks committed witnesses as confirmed whose replays did not reach the bug of
// the entry. If one is of the same test, the entry gets its file.
func (w *Witnesses) renewCommitted(e *finding.Entry) {
	for _, u := range w.Unreached {
		state := w.StateOf(u)
		p := places.New(u.Result.Witness, w.sites)
		p.Gone = u.Result.MissingAccesses
		for i := range p.ReachedByRun {
			p.ReachedByRun[i] = true
		}
		moved := len(p.Gone) > 0 && state.Status != bug.Confirmed && p.MayBeBug(e.WitnessToSave)
		if finding.BugKey(u.Result.Witness) != e.ConfirmedBug && !moved {
			continue
		}
		if test := e.WitnessToSave.Tests[0]; u.Witness.Tests[0] == test && w.savedByBug[e.ConfirmedBug].test != test {
			w.savedByBug[e.ConfirmedBug] = savedWitness{test, u.File, u.Witness.ID}
		}
		known := u.Result.SavedEvidence()
		known.Elsewhere = true
		state.Status, state.Reason = known.Status(), "by another schedule"
	}
}

// isCommitted reports whether a file has a committed witness. Such a file is never removed:
// the user has put it there.
func (w *Witnesses) isCommitted(file string) bool { return slices.Contains(w.committedFiles, file) }

// dropDraft removes the draft for a file, if there is one.
func (w *Witnesses) dropDraft(file string) {
	w.drafts = slices.DeleteFunc(w.drafts, func(d Draft) bool { return d.Destination == file })
}

// TakeDrafts returns all drafts, which are no longer in the ledger then.
func (w *Witnesses) TakeDrafts() []Draft {
	all := w.drafts
	w.drafts = nil
	return all
}
