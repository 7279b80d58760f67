//go:build long

package sources

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// random has the parts of random programs: the head of a file; what each test has to work with,
// where # stands for its number; a test, of its number, its body, and a call of a helper or
// nothing; such a helper, of its number and its body; and the kinds of statements, and of those
// that start goroutines, where $ is a node, % a number, @ a block.
//
//go:embed random
var random embed.FS

func part(name string) string { return run.ReadEmbedded(random, "random/"+name+".txt") }

var (
	statements = strings.Split(strings.TrimSpace(part("statements")), "\n")
	spawns     = strings.Split(strings.TrimSpace(part("spawns")), "\n")
)

// generate returns the source of a test file with n random tests, each of
// which starts goroutines and lets pointers wander by all the ways that the
// language has for that. None of them panics, blocks, or runs for long.
func generate(seed uint64, n int) string {
	var b strings.Builder
	b.WriteString(part("head"))
	for k := range n {
		w := newWriter(rand.New(rand.NewPCG(seed, uint64(k))))
		b.WriteString(strings.ReplaceAll(part("common"), "#", fmt.Sprint(k)))
		body := strings.ReplaceAll(w.block(0), "#", fmt.Sprint(k))
		call := ""
		if w.IntN(2) == 0 {
			call = fmt.Sprintf("helper%d(a, b, &wg)", k)
			fmt.Fprintf(&b, part("helper"), k, strings.ReplaceAll(w.block(2), "#", fmt.Sprint(k)))
		}
		fmt.Fprintf(&b, part("test"), k, body, call)
	}
	return b.String()
}

// A writer makes statements, of a few of the kinds: with all of them, every
// variable would be shared.
type writer struct {
	*rand.Rand
	budget             int // statements that may still be made
	statements, spawns []string
}

func newWriter(r *rand.Rand) *writer {
	w := &writer{Rand: r, budget: 4 + r.IntN(12), statements: []string{"$.n = %", "% = $.n"}}
	for range 1 + r.IntN(4) {
		w.statements = append(w.statements, statements[r.IntN(len(statements))])
	}
	w.spawns = []string{spawns[r.IntN(len(spawns))]}
	return w
}

// block makes some statements.
func (w *writer) block(depth int) string {
	var b strings.Builder
	for n := 3 + w.IntN(6)/(depth+1); n > 0 && w.budget > 0; n-- {
		w.budget--
		b.WriteString(w.statement(depth) + "\n")
	}
	return b.String()
}

func (w *writer) statement(depth int) string {
	kinds := w.statements
	if depth < 3 && w.IntN(4) == 0 {
		kinds = w.spawns
	}
	s := kinds[w.IntN(len(kinds))]
	if strings.Contains(s, "@") && depth > 3 {
		s = "$.n = %"
	}
	var b strings.Builder
	for _, c := range s {
		switch c {
		case '$':
			b.WriteByte("abc"[w.IntN(3)])
		case '%':
			b.WriteByte("xy"[w.IntN(2)])
		case '@':
			b.WriteString(w.inner(s, depth))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// inner makes the block of a compound statement. Within a lock there are only
// statements that take none.
func (w *writer) inner(outer string, depth int) string {
	if strings.HasPrefix(outer, "mu.Lock") {
		return w.simple()
	}
	return w.block(depth + 1)
}

func (w *writer) simple() string {
	s := "$.n = %"
	for range 5 {
		if c := w.statements[w.IntN(len(w.statements))]; !strings.ContainsAny(c, "@") && !strings.Contains(c, "mu.") {
			s = c
		}
	}
	return strings.NewReplacer("$", string("abc"[w.IntN(3)]), "%", string("xy"[w.IntN(2)])).Replace(s)
}
