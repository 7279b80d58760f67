package run

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopredict/gopredict/internal/subjects"
)

// CopySubject copies a subject of testdata to the new folder dir, without saved witnesses.
func CopySubject(name, dir string) string {
	Check(subjects.Copy(Must(os.Getwd()), name, dir))
	return dir
}

// Download copies a module, given as PATH@VERSION, from the module cache, where nothing may be
// written, to dir. It returns the version.
func (j *Job) Download(module, dir string) (version string) {
	Check(os.MkdirAll(filepath.Dir(dir), 0o755))
	var cached struct{ Path, Version, Dir string }
	Check(json.Unmarshal([]byte(j.Go(filepath.Dir(dir), "mod", "download", "-json", module)), &cached))
	Check(os.CopyFS(dir, os.DirFS(cached.Dir)))
	// Modules from before Go 1.11 have no go.mod.
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		WriteMod(dir, cached.Path, "1.26")
		j.Go(dir, "mod", "tidy")
	}
	return cached.Version
}

// WriteMod makes the folder dir a module of that path and language version.
func WriteMod(dir, path, version string) {
	WriteFile(filepath.Join(dir, "go.mod"), "module "+path+"\n\ngo "+version+"\n")
}

// WriteFile writes a file, and makes its folder.
func WriteFile(name, text string) {
	Check(os.MkdirAll(filepath.Dir(name), 0o777))
	Check(os.WriteFile(name, []byte(text), 0o666))
}

// ReadFile reads a file.
func ReadFile(name string) string { return string(Must(os.ReadFile(name))) }

// Goroot returns the folder and the version, "go1.26.8", of the go command, and the language
// version, "1.26".
func (j *Job) Goroot() (dir, version, language string) {
	dir, version, _ = strings.Cut(j.Go("", "env", "GOROOT", "GOVERSION"), "\n")
	parts := strings.SplitN(strings.TrimPrefix(version, "go"), ".", 3)
	return dir, version, strings.Join(parts[:min(2, len(parts))], ".")
}

// Packages returns the folders of the packages with tests that a pattern matches in dir.
func (j *Job) Packages(dir, pattern string) []string {
	return strings.Fields(j.Go(dir, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", pattern))
}

// GoFiles returns the Go files below a folder, without tests and testdata.
func GoFiles(root string) (files []string) {
	Check(filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if filepath.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
		return err
	}))
	return files
}
