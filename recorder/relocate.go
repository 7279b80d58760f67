package recorder

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/gopredict/gopredict/internal/gotool"
)

// A relocation makes the go command find some modules of the module cache under an alias of the
// cache, because an overlay cannot replace files in the cache itself. The user's go.mod and
// go.work stay as they are: the go command uses copies with more replace directives.
type relocation struct {
	flags   []string          // for the go command
	env     []string          // environment variables for the go command
	overlay map[string]string // go.mod files of modules that have none
}

// isUsed reports whether any module is relocated.
func (r *relocation) isUsed() bool { return len(r.flags)+len(r.env) > 0 }

// buildFlags returns the flags of the instrumented build, to follow the user's own flags.
func (c *Config) buildFlags(overlay string) []string {
	return slices.Concat(c.relocated.flags, c.moduleFlags(), []string{"-overlay=" + overlay})
}

// command returns a go command of the instrumented build.
func (c *Config) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := gotool.Command(ctx, c.Dir, args...)
	cmd.Env = append(cmd.Env, c.relocated.env...)
	return cmd
}

// cachedModules returns the modules of packages to instrument that are in the module cache, each
// once. Vendored packages are not there.
func (c *Config) cachedModules(pkgs []*packages.Package) []*packages.Module {
	var modules []*packages.Module
	seen := make(map[string]bool)
	for _, p := range pkgs {
		if p.Module != nil && !seen[p.Module.Path] && c.Env.InModCache(firstFile(p)) && c.selected(p) {
			seen[p.Module.Path] = true
			modules = append(modules, p.Module)
		}
	}
	return modules
}

// relocate makes the go command find modules under the alias of the module cache.
func (c *Config) relocate(ctx context.Context, modules []*packages.Module) error {
	if err := c.Env.LinkModCache(c.Work); err != nil {
		return fmt.Errorf("the module cache must be linked to from elsewhere, to instrument packages there: %w", err)
	}
	r := relocation{overlay: make(map[string]string)}
	var drop []string
	var add strings.Builder
	for _, m := range modules {
		dir, gomod := m.Dir, m.GoMod
		if m.Replace != nil {
			dir, gomod = m.Replace.Dir, m.Replace.GoMod
		}
		dir = c.Env.ViaModCacheAlias(dir)
		drop = append(drop, "-dropreplace="+m.Path+"@"+m.Version)
		fmt.Fprintf(&add, "replace %s %s => %q\n", m.Path, m.Version, dir)
		file := filepath.Join(dir, "go.mod")
		if _, err := os.Stat(file); os.IsNotExist(err) {
			r.overlay[file] = gomod
		}
	}
	var err error
	if c.Env.InWorkspace() {
		err = r.copyWork(ctx, c, drop, add.String())
	} else {
		err = r.copyMod(ctx, c, drop, add.String())
	}
	c.relocated = r
	return err
}

// copyMod copies go.mod, with the edits and directives added, and makes the go command use the
// copy.
func (r *relocation) copyMod(ctx context.Context, c *Config, edits []string, add string) error {
	from := c.Env.GOMOD
	if v, ok := c.flag("modfile"); ok {
		from = v
		if !filepath.IsAbs(from) {
			from = filepath.Join(c.Dir, from)
		}
	}
	to := filepath.Join(c.Work, "go.mod")
	if err := copyFile(from, to); err != nil {
		return err
	}
	if err := copyFile(strings.TrimSuffix(from, ".mod")+".sum", filepath.Join(c.Work, "go.sum")); err != nil && !os.IsNotExist(err) {
		return err
	}
	r.flags = []string{"-modfile=" + to}
	return editModule(ctx, c.Work, "mod", to, edits, add)
}

// copyWork copies go.work, with the edits and directives added, and makes the go command use the
// copy.
func (r *relocation) copyWork(ctx context.Context, c *Config, edits []string, add string) error {
	to := filepath.Join(c.Work, "go.work")
	if err := copyFile(c.Env.GOWORK, to); err != nil {
		return err
	}
	if err := copyFile(c.Env.GOWORK+".sum", to+".sum"); err != nil && !os.IsNotExist(err) {
		return err
	}
	out, err := gotool.Output(ctx, c.Work, "work", "edit", "-json", to)
	if err != nil {
		return err
	}
	var work struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &work); err != nil {
		return fmt.Errorf("go work edit -json: %w", err)
	}
	// Paths in go.work are relative to its folder.
	root := filepath.Dir(c.Env.GOWORK)
	var moved []string
	for _, u := range work.Use {
		if !filepath.IsAbs(u.DiskPath) {
			moved = append(moved, "-dropuse="+u.DiskPath, "-use="+filepath.Join(root, u.DiskPath))
		}
	}
	for _, m := range work.Replace {
		if m.New.Version == "" && !filepath.IsAbs(m.New.Path) {
			drop := "-dropreplace=" + m.Old.Path
			if m.Old.Version != "" {
				drop += "@" + m.Old.Version
			}
			moved = append(moved, drop)
			add += fmt.Sprintf("replace %s %s => %q\n", m.Old.Path, m.Old.Version, filepath.Join(root, m.New.Path))
		}
	}
	r.env = []string{"GOWORK=" + to}
	c.Env.TestVariables = append(c.Env.TestVariables, gotool.EnvironmentVariable("GOWORK"))
	return editModule(ctx, c.Work, "work", to, append(moved, edits...), add)
}

// editModule edits a go.mod or go.work file by the go command, and adds directives,
// which may hold paths that the flags of go mod edit cannot.
func editModule(ctx context.Context, dir, kind, file string, edits []string, add string) error {
	args := append([]string{kind, "edit"}, edits...)
	if _, err := gotool.Output(ctx, dir, append(args, file)...); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(append(data, '\n'), add...), 0o644)
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
