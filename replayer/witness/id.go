package witness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/recorder/trace"
)

// ID returns the ID of a bug: its kind and a hash of the set of source sites of its events, which
// are given by their positions in t, e.g. "race-7c1f0a". It is equal for every schedule that
// reaches the same sites, and does not change when code moves. Source may be nil; then the names
// of call sites do change.
//
// Sites that cannot be distinguished, such as the two reads in x*x, have one name. Different bugs
// may get the same ID by accident: see [UniqueID].
func (x *Index) ID(t *trace.Trace, kind bug.Kind, violation []int, source *Sources) string {
	var sites []string
	for _, i := range violation {
		sites = append(sites, x.siteName(t, t.Events[i], source))
	}
	sort.Strings(sites)
	sum := sha256.Sum256([]byte(strings.Join(sites, "\x01")))
	return string(kind) + "-" + hex.EncodeToString(sum[:3])
}

// siteName describes the site of an event by what does not change when lines move and variables
// are renamed.
func (x *Index) siteName(t *trace.Trace, e trace.Event, source *Sources) string {
	s := t.Sites[e.Site]
	op := s.Op
	if op == "" {
		op = e.Kind.String()
	}
	if e.Site&trace.SiteRewritten != 0 {
		return fmt.Sprintf("%s\x00%s\x00%s\x00%d", s.Func, op, Shape(s.Expr), x.rankByName(s))
	}
	if source != nil {
		if name, which := source.operand(s.File, s.Func, s.Line, e.Kind); name != "" {
			return fmt.Sprintf("%s\x00%s\x00%s\x00%d", s.Func, op, Shape(name), which)
		}
		if text, which, _ := source.callSite(s.File, s.Func, s.Line); text != "" {
			return fmt.Sprintf("%s\x00%s\x00%s\x00%d", s.Func, op, text, which)
		}
	}
	return fmt.Sprintf("%s\x00%s\x00%s\x00%d", s.Func, op, filepath.Base(s.File), s.Line)
}

// UniqueID returns id or, if that is used already, id with the least number from 2 that makes it
// unique: "race-7c1f0a-2".
func UniqueID(id string, used []string) string {
	name := id
	for n := 2; slices.Contains(used, name); n++ {
		name = fmt.Sprintf("%s-%d", id, n)
	}
	return name
}
