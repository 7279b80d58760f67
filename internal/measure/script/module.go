package script

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/gopredict/gopredict/internal/gotool"
)

// Download copies a module, given as PATH@VERSION, from the module cache, where nothing may be
// written, to dir, which is made. It returns the version.
func Download(ctx context.Context, module, dir string) (version string, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	out, err := gotool.Output(ctx, filepath.Dir(dir), "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var cached struct{ Path, Version, Dir string }
	if err := json.Unmarshal(out, &cached); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(cached.Dir)); err != nil {
		return "", err
	}
	// Modules from before Go 1.11 have no go.mod.
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return cached.Version, nil
	}
	if err := WriteMod(dir, cached.Path); err != nil {
		return "", err
	}
	_, err = gotool.Output(ctx, dir, "mod", "tidy")
	return cached.Version, err
}

// WriteMod makes the folder dir a module of that path.
func WriteMod(dir, path string) error {
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+path+"\n\ngo 1.26\n"), 0o666)
}
