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

// ID names a bug by its kind and the set of the source sites of its events,
// given by their positions in t, e.g. "race-7c1f0a": equal for every schedule
// that reaches the same sites, and unchanged when code moves. Source may be
// nil; then the names of call sites do not survive that.
//
// Sites that nobody can tell apart, such as the two reads in x*x, have one
// name. Different bugs can get the same ID, by chance only: see [UniqueID].
func (x *Index) ID(t *trace.Trace, kind bug.Kind, violation []int, source *Sources) string {
	var sites []string
	for _, i := range violation {
		sites = append(sites, x.siteName(t, t.Events[i], source))
	}
	sort.Strings(sites)
	sum := sha256.Sum256([]byte(strings.Join(sites, "\x01")))
	return string(kind) + "-" + hex.EncodeToString(sum[:3])
}

// siteName describes the site of an event by what stays when lines move and
// variables get other names.
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

// Distinct returns id, or, where that is in used already, id with the first
// number after it that makes it unique: "race-7c1f0a-2".
func UniqueID(id string, used []string) string {
	name := id
	for n := 2; slices.Contains(used, name); n++ {
		name = fmt.Sprintf("%s-%d", id, n)
	}
	return name
}
