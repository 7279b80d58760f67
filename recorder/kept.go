package recorder

import (
	"bytes"
	"encoding/gob"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/cache"

	"github.com/gopredict/gopredict/recorder/rewrite"
	"github.com/gopredict/gopredict/recorder/trace"
)

// A keptBuild is the result of Prepare for packages, for later commands. Mostly the packages have
// not changed since, and loading and analyzing them takes longer than running their tests.
type keptBuild struct {
	Tested    []Package
	Sites     []trace.Site
	Dirs      map[string]string
	Skipped   map[string][]rewrite.Skipped
	Unmatched []string
	LeftOut   map[string]bool
	Vetted    []vetReport
	// Replace maps the paths of files to those of the copies below Config.Work, and Texts maps
	// these to their content.
	Replace map[string]string
	Texts   map[string][]byte
}

// storeBuild puts b, whose rewritten files are those of replace, into the user's cache, unless
// files have changed in the meantime, or the cache cannot hold all of it. Errors only cost the
// next command time.
func (b *Build) storeBuild(in *inputs, replace map[string]string) {
	broken := func(p Package) bool { return p.Broken }
	if in == nil || slices.ContainsFunc(b.Tested, broken) || len(b.Properties) > 0 || b.conf.relocated.isUsed() || contentOfAll(in.files) != in.read {
		return
	}
	k := keptBuild{b.Tested, b.Sites, b.dirs, b.skipped, b.unmatched, b.leftOut, b.vetted.reports, map[string]string{}, map[string][]byte{}}
	for file, copied := range replace {
		name, err := filepath.Rel(b.conf.Work, copied)
		if err != nil {
			return
		}
		if k.Texts[name], err = os.ReadFile(copied); err != nil {
			return
		}
		k.Replace[file] = name
	}
	var data bytes.Buffer
	if gob.NewEncoder(&data).Encode(k) != nil {
		return
	}
	if store, err := b.conf.openCache(); err == nil {
		store.PutBytes(in.key, data.Bytes())
		store.Trim()
	}
}

// restoreBuild returns the build that was made of in before; nil if there is none.
func (c *Config) restoreBuild(in *inputs, std map[string]string) (*Build, error) {
	k := c.lookUp(in)
	if k == nil {
		return nil, nil
	}
	for file, name := range k.Replace {
		copied := filepath.Join(c.Work, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(copied, k.Texts[name], 0o666); err != nil {
			return nil, err
		}
		k.Replace[file] = copied
	}
	b := &Build{
		conf: c, overlay: filepath.Join(c.Work, overlayName), inputsKnown: true, vetted: vetResult{reports: k.Vetted},
		Tested: k.Tested, Sites: k.Sites, dirs: k.Dirs, skipped: k.Skipped, unmatched: k.Unmatched, leftOut: k.LeftOut,
	}
	if err := dateByContent(k.Replace); err != nil {
		return nil, err
	}
	return b, writeOverlay(b.overlay, std, k.Replace)
}

// lookUp returns the build that was kept of in; nil if there is none, or it is damaged.
func (c *Config) lookUp(in *inputs) *keptBuild {
	if in == nil {
		return nil
	}
	store, err := c.openCache()
	if err != nil {
		return nil
	}
	data, _, err := store.GetBytes(in.key)
	k := new(keptBuild)
	if err != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(k) != nil {
		return nil
	}
	return k
}

// openCache opens the user's cache of builds. It removes builds that were not used for days.
func (c *Config) openCache() (*cache.Cache, error) {
	dir := filepath.Join(c.cacheDir(), "builds")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return cache.Open(dir)
}
