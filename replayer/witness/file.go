package witness

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Load reads the witness file at path.
func Load(path string) (*Witness, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Parse(path, f)
}

// Below returns the witness files in the folder dir and below, in the order of their
// paths: those that begin as one does, of whatever version.
func Below(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		var begin [len(magic)]byte
		if _, err := io.ReadFull(f, begin[:]); err == nil && string(begin[:]) == magic {
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// Save writes w to path, whose folder it makes if need be. The file is there
// either as before or complete: it is written beside its place and renamed.
func (w *Witness) Save(path string) error {
	if err := w.save(path); err != nil {
		return fmt.Errorf("saving witness %s: %w", w.ID, err)
	}
	return nil
}

func (w *Witness) save(path string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	// The name begins with a dot so that a crash leaves nothing that could be
	// taken for a witness.
	f, err := os.CreateTemp(dir, ".witness-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := w.Write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
