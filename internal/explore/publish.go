package explore

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gopredict/gopredict/internal/explore/confirm"
	"github.com/gopredict/gopredict/internal/explore/ledger"
	"github.com/gopredict/gopredict/replayer/witness"
)

// A publisher moves the drafts of a package's witnesses to their places.
type publisher struct {
	*ledger.Ledger
	paths ledger.Paths
	// artifacts is the folder for witnesses that cannot be written to their places; "" if there
	// is none.
	artifacts string
}

// publish moves all drafts, so many at a time.
func (p *publisher) publish(workers int) {
	drafts := p.Witnesses.TakeDrafts()
	errs := make([]error, len(drafts))
	confirm.ForEach(workers, len(errs), func(k int) { errs[k] = p.moveToPlace(drafts[k]) })
	for k, d := range drafts {
		err := errs[k]
		if err == nil {
			continue
		}
		if file, written := p.putIntoArtifacts(d); written {
			p.Warn("%s: %v; it is in %s", p.Run.Package.Path, err, file)
			continue
		}
		if p.paths.Witnesses.Root == p.Run.Package.Dir {
			err = fmt.Errorf("%w; -predict.witnesses=/absolute/path keeps witnesses elsewhere", err)
		}
		p.Renamed(d.File, "") // there is none to replay
		p.ReportError(d.ID, err)
	}
}

// moveToPlace moves a draft to its place.
func (p *publisher) moveToPlace(d ledger.Draft) error {
	root := p.paths.Witnesses.Root
	name, err := p.nameIn(root, d.File)
	if err != nil {
		return err
	}
	return witness.MoveFile(d.Written, root, name)
}

// putIntoArtifacts writes a draft to the folder for artifacts and returns the file there.
func (p *publisher) putIntoArtifacts(d ledger.Draft) (file string, written bool) {
	root := p.artifacts
	rel, err := filepath.Rel(p.paths.Witnesses.Path(), d.File)
	if err != nil || root == "" {
		return "", false
	}
	w, err := witness.Load(d.Written)
	if err != nil {
		return "", false
	}
	file = filepath.Join(root, filepath.FromSlash(p.Run.Package.Path), rel)
	name, err := p.nameIn(root, file)
	if err != nil {
		return "", false
	}
	w.Comment = p.Renamed(d.File, p.paths.Relative(file))
	if err := w.Save(root, name); err != nil {
		p.Renamed(file, p.paths.Relative(d.File))
		return "", false
	}
	return file, true
}

// nameIn returns the name of a file within a root folder, which it makes if that is not the
// package's own.
func (p *publisher) nameIn(root, file string) (string, error) {
	if root != p.Run.Package.Dir {
		if err := os.MkdirAll(root, 0o777); err != nil {
			return "", err
		}
	}
	return filepath.Rel(root, file)
}
