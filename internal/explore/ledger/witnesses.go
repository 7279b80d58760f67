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

// This file says which file the witness of a confirmed bug belongs into. Witnesses are drafts
// until the last run of the package: some tests read all files of their testdata, and would
// do something else in the runs after the first bug.
//
// A folder that fills with witnesses of one bug is no help. So a bug has one file for each
// test, which is kept when the bug is confirmed anew, in this run or by a later version of
// the program: scripts and baselines name bugs by these files.

// A Folder is where the witnesses of a package are, in a folder for each test: Below is in
// Root, and no link leads out of that.
type Folder struct{ Root, Below string }

// Path returns the path of the folder.
func (f Folder) Path() string { return filepath.Join(f.Root, f.Below) }

// Paths say how files are named in the report, and where the witnesses of a package are.
type Paths struct {
	// Root is the module root, that the report names files relative to.
	Root      string
	Witnesses Folder
}

// Relative names a file relative to the root, with forward slashes; one elsewhere by its path.
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
	File string // where it belongs, absolute
}

// Witnesses are the files of the witnesses of one package.
type Witnesses struct {
	Paths Paths
	// States are, for the report, what became of the committed witnesses.
	States []report.WitnessState
	// Unreached are the committed witnesses that did not reach their bugs.
	Unreached []*Unreached

	// sites are those of the current sources, by function.
	sites     map[string][]trace.Site
	committed []string         // files of the committed witnesses
	saved     map[string]saved // by the sites of the confirmed bug
	drafts    []Draft          // of the confirmed bugs' witnesses
}

func newWitnesses(paths Paths, sites map[string][]trace.Site) *Witnesses {
	return &Witnesses{Paths: paths, sites: sites, saved: make(map[string]saved)}
}

// An Unreached witness is a committed one whose replay did not reach its bug.
type Unreached struct {
	*evidence.Evidence
	File  string // absolute
	state int    // index in [Witnesses.States]
}

// A saved witness is one that has a file.
type saved struct{ test, file, id string }

// AddCommitted notes a committed witness that was replayed, with what became of it. If its
// bug was not reached the evidence says how.
func (w *Witnesses) AddCommitted(state report.WitnessState, unreached *Unreached) {
	if state.Status != bug.Damaged {
		w.committed = append(w.committed, w.Paths.Absolute(state.Witness))
	}
	w.States = append(w.States, state)
	if unreached != nil {
		unreached.File, unreached.state = w.Paths.Absolute(state.Witness), len(w.States)-1
		w.Unreached = append(w.Unreached, unreached)
	}
}

// StateOf returns what the report says of an unreached witness.
func (w *Witnesses) StateOf(u *Unreached) *report.WitnessState { return &w.States[u.state] }

// Place chooses the file for the witness of a confirmed entry, and keeps the draft. There
// is one file for each bug and test, also where later recordings confirm the bug with another
// effect. A committed witness of the same bug that did not reach it is replaced.
func (w *Witnesses) Place(e *finding.Entry) {
	w.renew(e)
	place := w.saved[e.Confirmed]
	if test := e.Saved.Tests[0]; place.test != test {
		folder := filepath.Join(w.Paths.Witnesses.Path(), test)
		var used []string
		for _, file := range w.committed {
			if filepath.Dir(file) == folder {
				used = append(used, filepath.Base(file))
			}
		}
		id := witness.UniqueID(e.ID, used)
		place = saved{test, filepath.Join(folder, id), id}
		w.saved[e.Confirmed] = place
	}
	e.ID, e.Saved.ID = place.id, place.id
	e.Witness = w.Paths.Relative(place.file)
	e.Saved.Comment = e.Heading()
	w.dropDraft(place.file)
	w.drafts = append(w.drafts, Draft{e.Saved, place.file})
}

// renew looks for committed witnesses of the confirmed bug that did not reach it, or whose
// places are gone. If one is of the same test, its file becomes that of the entry.
func (w *Witnesses) renew(e *finding.Entry) {
	for _, u := range w.Unreached {
		state := w.StateOf(u)
		p := places.Of(u.Result.Witness, w.sites)
		p.Gone = u.Result.MissingAccesses
		for i := range p.Reached {
			p.Reached[i] = true
		}
		moved := len(p.Gone) > 0 && state.Status != bug.Confirmed && p.MayBe(e.Saved)
		if finding.Sites(u.Result.Witness) != e.Confirmed && !moved {
			continue
		}
		if test := e.Saved.Tests[0]; u.Witness.Tests[0] == test && w.saved[e.Confirmed].test != test {
			w.saved[e.Confirmed] = saved{test, u.File, u.Witness.ID}
		}
		state.Status, state.Reason = bug.Confirmed, "by another schedule"
	}
}

func (w *Witnesses) isCommitted(file string) bool { return slices.Contains(w.committed, file) }

func (w *Witnesses) dropDraft(file string) {
	w.drafts = slices.DeleteFunc(w.drafts, func(d Draft) bool { return d.File == file })
}

// TakeDrafts returns all drafts, which are no longer in the ledger then.
func (w *Witnesses) TakeDrafts() []Draft {
	all := w.drafts
	w.drafts = nil
	return all
}
