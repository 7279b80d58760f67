package symbolic_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/analysis/symbolic"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

// TestOracleOfChoices compares what selects may choose with what they can in all
// interleavings of random programs, up to where the first one does.
func TestOracleOfChoices(t *testing.T) {
	can, cannot, careful := 0, 0, 0
	for seed := range uint64(20 * *traces) {
		p := newChoices(rand.New(rand.NewPCG(seed, 1)))
		p.record()
		tr := tracetest.Parse(t, strings.Join(p.lines, "\n"))
		o, err := order.New(tr)
		require.NoError(t, err)
		p.explore(p.start(), make(map[string]bool))
		d := symbolic.NewControl(tr, o).Departures(dataflow.New(tr), trace.NewLayout(tr))
		for _, op := range p.selects() {
			switch got := d.Chooses(op.line); {
			case op.other && !got:
				t.Fatalf("seed %d: event %d may choose another case\n%s", seed, op.line, strings.Join(p.lines, "\n"))
			case op.other:
				can++
			case got:
				careful++
			default:
				cannot++
			}
		}
	}
	t.Logf("%d can, %d cannot, of %d it is not seen that they cannot", can, cannot, careful)
	if can == 0 || cannot < careful {
		t.Error("too few of one sort")
	}
}

// choices is a program of goroutines that send, receive, close and select.
type choices struct {
	caps  []int
	ops   [][]*choiceOp // by goroutine
	rand  *rand.Rand
	lines []string         // of the recorded run
	order [2][][]*choiceOp // by side and channel: who was served, in turn
}

// A choiceOp is one operation: a send, receive or close of the first case, or a select of all.
type choiceOp struct {
	cases    []choiceCase
	closes   bool
	selects  bool
	fallback bool // it has a default

	line   int // of the trace where it begins
	begun  bool
	done   bool
	chosen int // -1 for the default
	closed bool
	other  bool // it can choose another case
}

type choiceCase struct {
	ch   int
	recv bool
}

// choiceState is where each goroutine is, and what is in the channels.
type choiceState struct {
	at     []int
	stands []bool // it has begun the operation
	line   []int  // who stands, in the order in which they came
	held   []int
	closed []bool
	served [2][]int // by side and channel: how many
}

func newChoices(r *rand.Rand) *choices {
	p := &choices{rand: r, caps: []int{0, r.IntN(2), 1}, ops: make([][]*choiceOp, 2+r.IntN(2))}
	for g := range p.ops {
		for range 1 + r.IntN(4) {
			op := &choiceOp{chosen: -2}
			n := 1
			switch r.IntN(6) {
			case 0:
				op.closes = true
			case 1, 2, 3:
				op.selects, op.fallback, n = true, r.IntN(2) == 0, 1+r.IntN(2)
			}
			for range n {
				op.cases = append(op.cases, choiceCase{r.IntN(len(p.caps)), r.IntN(2) == 0})
			}
			p.ops[g] = append(p.ops[g], op)
		}
	}
	return p
}

func (p *choices) selects() (all []*choiceOp) {
	for _, op := range slices.Concat(p.ops...) {
		if op.selects && op.begun && (len(op.cases) > 1 || op.fallback) {
			all = append(all, op)
		}
	}
	return all
}

func (p *choices) start() choiceState {
	n := len(p.caps)
	return choiceState{
		at: make([]int, len(p.ops)), stands: make([]bool, len(p.ops)), held: make([]int, n), closed: make([]bool, n),
		served: [2][]int{make([]int, n), make([]int, n)},
	}
}

func (s choiceState) clone() choiceState {
	s.at, s.stands, s.held, s.closed = slices.Clone(s.at), slices.Clone(s.stands), slices.Clone(s.held), slices.Clone(s.closed)
	s.line = slices.Clone(s.line)
	s.served = [2][]int{slices.Clone(s.served[0]), slices.Clone(s.served[1])}
	return s
}

// standing is the operation that goroutine g stands at, or nil.
func (p *choices) standing(s choiceState, g int) *choiceOp {
	if s.at[g] < len(p.ops[g]) && s.stands[g] {
		return p.ops[g][s.at[g]]
	}
	return nil
}

// partners are the goroutines that stand at the other side of case c, with the number of their case.
func (p *choices) partners(s choiceState, g int, c choiceCase) (all [][2]int) {
	for h := range p.ops {
		if op := p.standing(s, h); h != g && op != nil && !op.closes {
			for k, o := range op.cases {
				if o.ch == c.ch && o.recv != c.recv {
					all = append(all, [2]int{h, k})
				}
			}
		}
	}
	return all
}

// ready reports whether goroutine g can do case c; a send to what is closed panics.
func (p *choices) ready(s choiceState, g int, c choiceCase) bool {
	switch {
	case s.closed[c.ch]:
		return true
	case p.caps[c.ch] == 0:
		return len(p.partners(s, g, c)) > 0
	case c.recv:
		return s.held[c.ch] > 0
	}
	return s.held[c.ch] < p.caps[c.ch]
}

// behind reports whether somebody has come to the side of c before goroutine g, and waits.
func (p *choices) behind(s choiceState, g int, c choiceCase) bool {
	for _, h := range s.line {
		if h == g {
			return false
		}
		if op := p.standing(s, h); !op.closes && !op.fallback && slices.Contains(op.cases, c) {
			return true
		}
	}
	return false
}

// A choiceMove is a step of one goroutine, or of two that meet: chosen case by goroutine.
type choiceMove struct {
	begins bool
	g, k   int // k: case; -1 for the default
	h, hk  int // h: whom it meets; -1 for nobody
}

// moves are the steps that can be made in s. Who can do what it has come to does so at once.
func (p *choices) moves(s choiceState) []choiceMove {
	all := p.possible(s)
	if len(s.line) > 0 {
		last := s.line[len(s.line)-1]
		now := slices.DeleteFunc(slices.Clone(all), func(m choiceMove) bool { return m.begins || m.g != last && m.h != last })
		if len(now) > 0 {
			return now
		}
	}
	return all
}

// possible are the steps that each goroutine can make in s.
func (p *choices) possible(s choiceState) (all []choiceMove) {
	for g := range p.ops {
		if s.at[g] == len(p.ops[g]) {
			continue
		}
		if !s.stands[g] {
			all = append(all, choiceMove{begins: true, g: g, h: -1})
			continue
		}
		op := p.ops[g][s.at[g]]
		if op.closes {
			if !s.closed[op.cases[0].ch] {
				all = append(all, choiceMove{g: g, h: -1})
			}
			continue
		}
		none := true
		for k, c := range op.cases {
			if !p.ready(s, g, c) {
				continue
			}
			none = false
			switch {
			case s.closed[c.ch] && !c.recv: // it would panic
			case !s.closed[c.ch] && p.behind(s, g, c): // nobody gets past who waits
			case p.caps[c.ch] == 0 && !s.closed[c.ch]:
				for _, other := range p.partners(s, g, c) {
					if !c.recv && !p.behind(s, other[0], choiceCase{c.ch, true}) {
						all = append(all, choiceMove{g: g, k: k, h: other[0], hk: other[1]})
					}
				}
			default:
				all = append(all, choiceMove{g: g, k: k, h: -1})
			}
		}
		if none && op.fallback {
			all = append(all, choiceMove{g: g, k: -1, h: -1})
		}
	}
	return all
}

// record makes a run, and its trace.
func (p *choices) record() {
	log := func(g int, format string, args ...any) {
		p.lines = append(p.lines, fmt.Sprintf("%d %s", g+1, fmt.Sprintf(format, args...)))
	}
	for c, n := range p.caps {
		p.lines = append(p.lines, fmt.Sprintf("0 make c%d/%d", c, n))
	}
	for g := range p.ops {
		p.lines = append(p.lines, fmt.Sprintf("0 fork %d", g+1))
	}
	name := func(c choiceCase) string { return fmt.Sprintf("c%d/%d", c.ch, p.caps[c.ch]) }
	p.order = [2][][]*choiceOp{make([][]*choiceOp, len(p.caps)), make([][]*choiceOp, len(p.caps))}
	complete := func(g int, op *choiceOp, k int, closed bool) {
		op.done, op.chosen, op.closed = true, k, closed
		if op.selects {
			n := 0
			if k >= 0 {
				n = k + 1
			}
			log(g, "selected #%d", n)
		}
		if k < 0 {
			return
		}
		c, word := op.cases[k], "sent"
		if c.recv {
			word = "recvd"
		}
		if closed {
			log(g, "%s c%d#0/%d", word, c.ch, p.caps[c.ch])
			return
		}
		its := &p.order[side(c)][c.ch]
		*its = append(*its, op)
		log(g, "%s c%d#%d/%d", word, c.ch, len(*its), p.caps[c.ch])
	}
	s := p.start()
	for all := p.moves(s); len(all) > 0; all = p.moves(s) {
		m := all[p.rand.IntN(len(all))]
		op := p.ops[m.g][s.at[m.g]]
		switch {
		case m.begins && op.closes:
		case m.begins && op.selects:
			for _, c := range op.cases {
				if c.recv {
					log(m.g, "selrecv %s @%d", name(c), 100+m.g)
				} else {
					log(m.g, "selsend %s @%d", name(c), 100+m.g)
				}
			}
			flag := ""
			if op.fallback {
				flag = " default"
			}
			op.begun, op.line = true, len(p.lines)
			log(m.g, "select #%d%s @%d", len(op.cases), flag, 100+m.g)
		case m.begins && op.cases[0].recv:
			op.begun = true
			log(m.g, "recv %s", name(op.cases[0]))
		case m.begins:
			op.begun = true
			log(m.g, "send %s", name(op.cases[0]))
		case op.closes:
			op.done = true
			log(m.g, "close %s", name(op.cases[0]))
		default:
			complete(m.g, op, m.k, p.drained(s, op, m.k))
			if m.h >= 0 {
				complete(m.h, p.ops[m.h][s.at[m.h]], m.hk, false)
			}
		}
		s = p.step(s, m)
	}
}

// step is s after m.
func (p *choices) step(s choiceState, m choiceMove) choiceState {
	s = s.clone()
	if m.begins {
		s.stands[m.g] = true
		s.line = append(s.line, m.g)
		return s
	}
	op := p.ops[m.g][s.at[m.g]]
	serve := func(op *choiceOp, k int) {
		c := op.cases[k]
		s.served[side(c)][c.ch]++
	}
	if m.k >= 0 && !op.closes && !p.drained(s, op, m.k) {
		serve(op, m.k)
	}
	if m.h >= 0 {
		serve(p.ops[m.h][s.at[m.h]], m.hk)
	}
	switch {
	case op.closes:
		s.closed[op.cases[0].ch] = true
	case m.k >= 0 && m.h < 0 && op.cases[m.k].recv:
		s.held[op.cases[m.k].ch] = max(0, s.held[op.cases[m.k].ch]-1)
	case m.k >= 0 && m.h < 0:
		s.held[op.cases[m.k].ch]++
	}
	s.at[m.g]++
	s.stands[m.g] = false
	s.line = slices.DeleteFunc(s.line, func(g int) bool { return g == m.g || g == m.h })
	if m.h >= 0 {
		s.at[m.h]++
		s.stands[m.h] = false
	}
	return s
}

// side numbers the sides of channels.
func side(c choiceCase) int {
	if c.recv {
		return 1
	}
	return 0
}

// drained reports whether case k of op finds its channel closed and empty.
func (p *choices) drained(s choiceState, op *choiceOp, k int) bool {
	return k >= 0 && s.closed[op.cases[k].ch] && s.held[op.cases[k].ch] == 0
}

// explore notes which selects can choose another case in runs that do from s on what was recorded.
func (p *choices) explore(s choiceState, seen map[string]bool) {
	key := fmt.Sprint(s)
	if seen[key] {
		return
	}
	seen[key] = true
	for g := range p.ops {
		op := p.standing(s, g)
		if op == nil || !op.selects {
			continue
		}
		none := true
		for k, c := range op.cases {
			ready := p.ready(s, g, c)
			none = none && !ready
			op.other = op.other || ready && k != op.chosen
		}
		op.other = op.other || none && op.fallback && op.chosen != -1
	}
	for _, m := range p.moves(s) {
		op := p.ops[m.g][s.at[m.g]]
		as := func(op *choiceOp, k int) bool {
			if !op.done || op.chosen != k {
				return false
			}
			if k < 0 || op.closed {
				return k < 0 || p.drained(s, op, k)
			}
			c := op.cases[k]
			n := s.served[side(c)][c.ch]
			return !p.drained(s, op, k) && p.order[side(c)][c.ch][n] == op
		}
		if m.begins || op.closes && op.done || !op.closes && as(op, m.k) && (m.h < 0 || as(p.ops[m.h][s.at[m.h]], m.hk)) {
			p.explore(p.step(s, m), seen)
		}
	}
}
