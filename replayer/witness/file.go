package witness

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/untrusted"
)

// Load reads the witness file at path.
func Load(path string) (*Witness, error) {
	text, err := untrusted.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	return Parse(path, bytes.NewReader(text))
}

// FilesBelow returns the witness files of any version in the folder dir and below, in the order of
// their paths. It knows them by their first bytes.
func FilesBelow(dir string) ([]string, error) {
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

// Save writes w to a file of its package: name is its path below the package's folder. Save makes
// missing folders, and follows no link out of the package. The file is there either as before or
// complete, because Save writes to a temporary file and renames it.
func (w *Witness) Save(pkg, name string) error {
	if err := writeFile(pkg, name, w.Write); err != nil {
		return fmt.Errorf("saving witness %s: %w", w.ID, err)
	}
	return nil
}

// writeFile calls write to fill the file of that name below pkg.
func writeFile(pkg, name string, write func(io.Writer) error) (err error) {
	root, err := os.OpenRoot(pkg)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	// The name begins with a dot so that a crash leaves nothing that looks like
	// a witness.
	draft := filepath.Join(filepath.Dir(name), ".witness-"+rand.Text())
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			root.Remove(draft)
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return root.Rename(draft, name)
}
