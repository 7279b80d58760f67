package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/explore/finding"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A publisher writes the drafts of a package's witnesses to their places.
type publisher struct {
	*ledger.Ledger
	ledgerPaths ledger.Paths
	// artifactFolder is the folder for witnesses that cannot be written to their places; "" if there
	// is none.
	artifactFolder string
}

// publish writes all drafts.
func (p *publisher) publish() {
	for _, d := range p.Witnesses.TakeDrafts() {
		err := p.write(d.Witness, p.ledgerPaths.Witnesses.Root, d.Destination)
		if err == nil {
			continue
		}
		if file, written := p.putIntoArtifacts(d); written {
			p.Warn("%s: %v; it is in %s", p.FirstRun.Package.Path, err, file)
			continue
		}
		if p.ledgerPaths.Witnesses.Root == p.FirstRun.Package.Dir {
			err = fmt.Errorf("%w; -predict.witnesses=/absolute/path keeps witnesses elsewhere", err)
		}
		p.RenameWitness(d.Destination, "") // there is none to replay
		p.ReportError(d.ID, err)
	}
}

// putIntoArtifacts writes a draft to the folder for artifacts and returns the file there.
func (p *publisher) putIntoArtifacts(d ledger.Draft) (file string, written bool) {
	root := p.artifactFolder
	rel, err := filepath.Rel(p.ledgerPaths.Witnesses.Path(), d.Destination)
	if err != nil || root == "" {
		return "", false
	}
	file = filepath.Join(root, filepath.FromSlash(p.FirstRun.Package.Path), rel)
	d.Comment = p.RenameWitness(d.Destination, p.ledgerPaths.Relative(file))
	if p.write(d.Witness, root, file) != nil {
		p.RenameWitness(file, p.ledgerPaths.Relative(d.Destination))
		return "", false
	}
	return file, true
}

// write writes a witness to a file below a root folder, which it makes if that is not the
// package's own.
func (p *publisher) write(w *witness.Witness, root, file string) error {
	if root != p.FirstRun.Package.Dir {
		if err := os.MkdirAll(root, 0o777); err != nil {
			return err
		}
	}
	name, err := filepath.Rel(root, file)
	if err != nil {
		return err
	}
	return w.Save(root, name)
}

// announce reports a confirmed bug at once, as the report may come only minutes later. Each
// bug is announced once, whichever tests and recordings show it. It may be called
// concurrently.
func (s *session) announce(pkg string, w *witness.Witness) {
	if s.opts.OnConfirmedBug == nil {
		return
	}
	if _, before := s.announcedBugs.LoadOrStore(finding.BugKey(w), true); before {
		return
	}
	s.announcing.Lock()
	defer s.announcing.Unlock()
	// One line must do: the report has the rest.
	var places []string
	for _, step := range w.Violation {
		if place := fmt.Sprintf("%s:%d", step.File, step.Line); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	in := pkg
	if len(w.Tests) > 0 {
		in = w.Tests[0] + ", " + in
	}
	s.opts.OnConfirmedBug(fmt.Sprintf("confirmed: %s in %s: %s", strings.ToLower(w.Kind.Title(len(w.Violation))), in, strings.Join(places, ", ")))
}
