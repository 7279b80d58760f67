package rewrite

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/gopredict/gopredict/recorder/trace"
)

// describe is a site as the comments in testdata/sites show it.
func describe(s trace.Site) string {
	star := ""
	if s.OnlyStored {
		star = "*"
	}
	return s.Op + star + " " + s.Expr
}

// siteNumber matches a site's number in rewritten text.
var siteNumber = regexp.MustCompile(`\b(2[0-9]{9}|3[0-9]{9}|4[0-9]{9})\b`)

func TestSites(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/sites/sites.txtar")
	require.NoError(t, err)
	m := newModule(t, archive)
	m.instrument(t)
	byID := map[string]trace.Site{}
	for _, s := range m.result.Sites {
		byID[fmt.Sprint(s.ID)] = s
	}
	for original, copied := range m.result.Overlay {
		src, err := os.ReadFile(original)
		require.NoError(t, err)
		out, err := os.ReadFile(copied)
		require.NoError(t, err)
		lines := strings.Split(string(out), "\n")
		for i, line := range strings.Split(string(src), "\n") {
			_, want, _ := strings.Cut(line, "//* ")
			var got []string
			seen := map[string]bool{}
			for _, id := range siteNumber.FindAllString(lines[i], -1) {
				s, ok := byID[id]
				require.True(t, ok, "number %s is no site", id)
				if d := describe(s); !seen[d+id] {
					got = append(got, d)
					seen[d+id] = true
				}
				assert.Equal(t, i+1, s.Line)
				assert.Equal(t, original, s.File)
			}
			assert.Equal(t, want, strings.Join(got, ", "), "%s:%d: %s\n%s", filepath.Base(original), i+1, line, lines[i])
		}
	}
}

func TestSiteNumbers(t *testing.T) {
	archive := txtar.Parse([]byte("-- go.mod --\nmodule example.com/n\n\ngo 1.26\n-- a.go --\npackage n\n\nvar x int\n\nfunc f() { x++ }\n-- b/b.go --\npackage b\n\nvar x int\n\nfunc f() { x++ }\n"))
	m := newModule(t, archive)
	m.instrument(t)
	first := m.result.Sites
	require.Len(t, first, 4)
	ids := map[trace.SiteID]bool{}
	for _, s := range first {
		assert.NotZero(t, s.ID&trace.SiteRewritten)
		assert.Equal(t, uint64(s.ID), s.Key)
		ids[s.ID] = true
	}
	assert.Len(t, ids, 4)

	// What is not touched keeps its numbers, and its file.
	b := m.result.Overlay[filepath.Join(m.dir, "b", "b.go")]
	before, err := os.Stat(b)
	require.NoError(t, err)
	write(t, filepath.Join(m.dir, "a.go"), []byte("package n\n\nvar x, y int\n\nfunc f() { x++; y++ }\n"))
	m.instrument(t)
	require.Len(t, m.result.Sites, 6)
	assert.Subset(t, m.result.Sites, first[2:])
	after, err := os.Stat(b)
	require.NoError(t, err)
	assert.Equal(t, before.ModTime(), after.ModTime())
}

// TestEqualSites: of one program each build has the same table.
func TestEqualSites(t *testing.T) {
	archive := txtar.Parse([]byte(`-- go.mod --
module example.com/n

go 1.26
-- a.go --
package n

import "sync/atomic"

var a, b, c, d atomic.Int64

func F() {
	a.Store(1)
	b.Store(a.Load())
	c.Store(2)
	if b.Load() == 1 {
		c.Add(1)
	}
	if c.Load() == 3 {
		d.Store(3)
	}
	if d.Load() == 3 {
		a.Add(1)
	}
}
`))
	m := newModule(t, archive)
	m.all = false
	m.instrument(t)
	first := m.result.Sites
	calls := 0
	for _, s := range first {
		if s.ID == 0 {
			calls++
		}
	}
	require.Greater(t, calls, 3)
	for range 10 {
		m.instrument(t)
		require.Equal(t, first, m.result.Sites)
	}
}

func TestCollidingSitesGetTheirOwnNumbers(t *testing.T) {
	edited := func(text string, sites ...site) *editor {
		return &editor{expressions: &expressions{hookWriter: &hookWriter{sites: sites}}, text: text}
	}
	top := uint32(1<<32 - 1)
	a := edited("f(\x000\x00,\x001\x00)", site{hash: top}, site{hash: top})
	b := edited("g(\x000\x00)", site{hash: top &^ (1 << 31)})
	sites := numberSites([]*editor{a, b})
	require.Len(t, sites, 3)
	assert.Equal(t, "f("+strconv.FormatUint(uint64(sites[0].ID), 10)+","+strconv.FormatUint(uint64(sites[1].ID), 10)+")", a.text)
	ids := map[trace.SiteID]bool{}
	for _, s := range sites {
		assert.NotZero(t, s.ID&trace.SiteRewritten)
		ids[s.ID] = true
	}
	assert.Len(t, ids, 3)
}

func TestFunctionNames(t *testing.T) {
	archive := txtar.Parse([]byte(`-- go.mod --
module example.com/v2.x/names.v1

go 1.26
-- a.go --
package names

var x int

var lit = func() { x++ }

type T[P any] struct{}

func (t *T[P]) Ptr() { x++ }
func (t T[P]) Val()  { go func() { x++ }() }

type U int

func (u U) Val()  { x++ }
func (u *U) Ptr() { _ = func() { _ = func() {}; _ = func() { x++ } } }

func G[P any]() { x++ }
func init()     { x++ }
func init()     { x++ }
func F() {
	_ = func() {}
	for range func(func(int) bool) {} {
		x++
	}
	_ = func() { x++ }
}
`))
	m := newModule(t, archive)
	m.instrument(t)
	var names []string
	for _, s := range m.result.Sites {
		if s.Op == "write" {
			names = append(names, s.Func)
		}
	}
	const p = "example.com/v2.x/names%2ev1."
	assert.Equal(t, []string{
		p + "init.func1", p + "(*T[...]).Ptr", p + "T[...].Val.func1", p + "U.Val", p + "(*U).Ptr.func1.2",
		p + "G[...]", p + "init.0", p + "init.1", p + "F-range1", p + "F.func3",
	}, names)
}

func TestLinesStay(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/behave/language.txtar")
	require.NoError(t, err)
	m := newModule(t, archive)
	m.instrument(t)
	require.NotEmpty(t, m.result.Overlay)
	for original, copied := range m.result.Overlay {
		assert.Equal(t, declLines(t, original), declLines(t, copied)[:len(declLines(t, original))])
	}
}

// declLines lists the lines on which the declarations of a file begin.
func declLines(t *testing.T, name string) []int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, 0)
	require.NoError(t, err)
	var lines []int
	for i, d := range f.Decls {
		if line := fset.Position(d.Pos()).Line; i > 0 || line != fset.Position(f.Package).Line {
			lines = append(lines, line) // the import on the package line is ours
		}
	}
	return lines
}
