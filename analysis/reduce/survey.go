package reduce

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A survey tells which tests of a trace ran alone. It sees all events before any is left out: what
// goroutines that a test has found there do later is known at the end.
type survey struct {
	t     *trace.Trace
	long  int        // events of a long test
	flow  int        // of the longest one that may have a flow
	tests []surveyed // top-level ones, in the order in which they were started
	// Of the test that runs now, of which the last one of tests has what is known.
	running []trace.GID // each waits for the next one; none: it is not alone
	ended   []trace.GID // subtests of which the test goes on
	passed  bool
	touched *footprint // if others are beside it
	written tally      // to its memory

	seen   int                // events
	did    []deeds            // by goroutine
	living map[trace.GID]bool // goroutines that were started and have not ended
	// The long tests that are alone if they have nothing to do with what a goroutine does, by goroutine; nil if
	// there are none.
	beside [][]*surveyed
	// By goroutine: what is there for the sake of values is left out, as these are not followed; nil: of none.
	bare     []bool
	accesses int           // loads and stores of these
	spare    int           // about how many events of theirs are left out
	free     *freeAccesses // which accesses of theirs conflict with none; nil: nobody has asked
	sites    tables
	told     *trace.SiteIndex     // see knownSites
	branches map[trace.SiteID]int // how many there are at a site
}

// Deeds are what a goroutine has done.
type deeds struct {
	last            int // how many events had been seen with the last one
	first, lastStay int // and with the first and the last one of those that are no conditions or operands; or 0
	stay            int // those
	plain, others   int // loads and stores; conditions and operands
}

// did notes e, the event that was seen last.
func (d *deeds) did(e *trace.Event, seen int) {
	switch d.last = seen; e.Kind {
	case trace.Operand, trace.Branch:
		d.others++
		return
	case trace.Read, trace.Write:
		d.plain++
	}
	if d.stay++; d.first == 0 {
		d.first = seen
	}
	d.lastStay = seen
}

// A surveyed is a top-level test.
type surveyed struct {
	name    string
	alone   bool
	begin   int         // how many events had been seen when it was started, with that
	events  int         // its own and those meanwhile
	decides int         // of its own: those that may be left out
	last    int         // roughly how many of these are the last writes to a memory, which stay
	others  []trace.GID // goroutines that were there when it was started, and those that these have started meanwhile
	touched *footprint
	met     bool // another goroutine has to do with what it has to do with
}

// maxBeside bounds the goroutines beside a test, and leastBeside is how many events a long test has: it is
// asked what others beside it have to do with.
const maxBeside, leastBeside = 1 << 10, 1 << 18

func newSurvey(t *trace.Trace, long, flow int) *survey {
	return &survey{t: t, long: long, flow: flow, living: make(map[trace.GID]bool), branches: make(map[trace.SiteID]int)}
}

// take takes the next events of the trace.
func (s *survey) take(es []trace.Event) {
	for len(es) > 0 {
		n := s.plain(es)
		if n == 0 {
			s.event(&es[0])
			n = 1
		}
		es = es[n:]
	}
}

// plain takes those events with which es begins that a test which runs alone does, with no others beside
// it, and that orders could make others: most of all events are such. It returns how many these are.
func (s *survey) plain(es []trace.Event) (n int) {
	if len(s.running) == 0 {
		return 0
	}
	g, test := s.running[len(s.running)-1], &s.tests[len(s.tests)-1]
	if len(test.others) > 0 || int(g) >= len(s.did) {
		return 0
	}
	d := &s.did[g]
	for ; n < len(es) && es[n].G == g && es[n].Decides(); n++ {
		s.seen++
		if d.did(&es[n], s.seen); es[n].Kind == trace.Write {
			s.written.add(&es[n])
		}
	}
	test.decides += n
	return n
}

// event takes the next event.
func (s *survey) event(e *trace.Event) {
	s.seen++
	for int(e.G) >= len(s.did) {
		s.did = append(s.did, deeds{})
	}
	if e.Kind == trace.Branch {
		s.branches[e.Site]++
	}
	s.did[e.G].did(e, s.seen)
	g := &s.t.Goroutines[e.G]
	switch runner := g.RunsTests(); {
	case runner && e.Kind == trace.Fork && s.t.Goroutines[e.Obj].IsTest():
		s.finish()
		s.start(trace.GID(e.Obj))
	case runner || len(s.running) == 0:
	case e.G != s.running[len(s.running)-1] && s.isOther(e.G):
		if e.Kind == trace.Fork {
			s.besides(trace.GID(e.Obj))
		}
	case !s.follow(e):
		s.running = s.running[:0]
	default:
		test := &s.tests[len(s.tests)-1]
		if e.Decides() {
			test.decides++
		}
		if e.Kind == trace.Write {
			s.written.add(e)
		}
		if len(test.others) > 0 {
			s.touched.add(e)
		}
	}
	switch e.Kind {
	case trace.Fork:
		s.living[trace.GID(e.Obj)] = true
	case trace.End:
		delete(s.living, e.G)
	}
}

// start begins with the test of the goroutine g.
func (s *survey) start(g trace.GID) {
	test := surveyed{name: s.t.Goroutines[g].Test, begin: s.seen}
	s.tests = append(s.tests, test)
	s.written.clear()
	if len(s.living) > maxBeside {
		return
	}
	s.running = append(s.running, g)
	for g := range s.living {
		s.besides(g)
	}
	if len(s.living) > 0 {
		if s.touched == nil {
			s.touched = new(footprint)
		}
		*s.touched = footprint{}
	}
}

// besides notes that the goroutine g is there beside the test that runs now.
func (s *survey) besides(g trace.GID) {
	test := &s.tests[len(s.tests)-1]
	if test.others = append(test.others, g); len(test.others) > maxBeside {
		s.running = s.running[:0]
	}
}

// isOther reports whether g is one of the others beside the test that runs now.
func (s *survey) isOther(g trace.GID) bool {
	return g != s.running[0] && slices.Contains(s.tests[len(s.tests)-1].others, g)
}

// follow reports whether the test is alone with its event e, too.
func (s *survey) follow(e *trace.Event) bool {
	switch e.Kind {
	case trace.Fork:
		if !trace.OfTesting(s.t.Sites[e.Site].Func) {
			return false
		}
	case trace.Select, trace.SelectSend, trace.SelectRecv, trace.Panic:
		return false
	case trace.TestEnd:
		if e.Val != 0 {
			return false
		}
		s.passed = s.passed || e.G == s.running[0]
	}
	last := len(s.running) - 1
	if e.G == s.running[last] {
		return true
	}
	if k := slices.Index(s.running, e.G); k >= 0 { // it goes on, so those that it has waited for have ended
		s.ended = append(s.ended, s.running[k+1:]...)
		s.running = s.running[:k+1]
		return true
	}
	if slices.Contains(s.ended, e.G) {
		return !e.Kind.IsAccess() && !e.Decides()
	}
	if s.t.Goroutines[e.G].Parent != s.running[last] {
		return false
	}
	s.running = append(s.running, e.G)
	return true
}

// finish ends with the test that has run. The next one may have been started by the last event.
func (s *survey) finish() {
	if len(s.tests) > 0 {
		test := &s.tests[len(s.tests)-1]
		test.events = s.seen - test.begin
		test.alone = len(s.running) > 0 && s.passed
		test.last = s.written.different()
		if test.alone && len(test.others) > 0 && test.events >= s.long {
			test.touched, s.touched = s.touched, nil
		}
	}
	s.running, s.ended, s.passed = s.running[:0], s.ended[:0], false
}

// end ends with the trace: now it is known which goroutines have events later.
func (s *survey) end() {
	s.finish()
	s.touched, s.living = nil, nil
	s.beside = nil
	for k := range s.tests {
		test := &s.tests[k]
		later := slices.DeleteFunc(test.others, func(g trace.GID) bool { return int(g) >= len(s.did) || s.did[g].last <= test.begin })
		if test.alone = test.alone && (len(later) == 0 || test.touched != nil); !test.alone || len(later) == 0 {
			test.touched = nil
		} else {
			if s.beside == nil {
				s.beside = make([][]*surveyed, len(s.t.Goroutines))
			}
			for _, g := range later {
				s.beside[g] = append(s.beside[g], test)
			}
		}
	}
}

// strip notes whose operands and branches are of no use: those of goroutines that are together in one window of
// the analysis that is too long for a flow without them. Such a window ends nowhere but where a test starts over
// which no goroutine goes on; where that is so, others may begin with it. What sites are, build tells, if it is not nil,
// beside the trace.
func (s *survey) strip(build *trace.SiteTable) {
	alone := make(map[string]bool)
	for _, test := range s.tests {
		alone[test.name] = test.alone
	}
	after := func(seen int) int { // the first test that begins after so many events
		k, _ := slices.BinarySearchFunc(s.tests, seen, func(test surveyed, seen int) int { return cmp.Compare(test.begin, seen+1) })
		return k
	}
	over := make([]int, len(s.tests)+1) // how many more goroutines go on over the start of a test than over that before
	for g, did := range s.did {
		if did.stay > 0 && !s.t.Goroutines[g].RunsTests() {
			over[after(did.first)]++
			over[after(did.lastStay)]--
		}
	}
	parts, n := make([]int, len(over)), 0 // by test: the number of the part of the trace up to its start
	for k := range s.tests {
		parts[k+1] = parts[k]
		if n += over[k]; n == 0 {
			parts[k+1]++
		}
	}
	stay := make([]int, len(over))
	part := func(g int) *int { return &stay[parts[after(s.did[g].first)]] }
	for g, did := range s.did {
		if !alone[s.t.Goroutines[g].Test] {
			*part(g) += did.stay
		}
	}
	s.bare, s.free, s.spare, s.accesses = make([]bool, len(s.did)), nil, 0, 0
	for g, did := range s.did {
		goroutine := &s.t.Goroutines[g]
		if did.stay > 0 && goroutine.Test != "" && *part(g) > s.flow && !alone[goroutine.Test] {
			s.bare[g] = true
			s.spare += did.others
			s.accesses += did.plain
		}
	}
	if !slices.Contains(s.bare, true) {
		s.bare = nil
		return
	}
	if s.told == nil {
		s.sites, s.told = knownSites(build, s.t)
	}
	for site, n := range s.branches {
		if s.told.Of(site).Fails != trace.Neither {
			s.spare -= n // these stay
		}
	}
	s.spare = max(0, s.spare)
	if s.beside == nil { // this is not asked again
		s.did, s.branches = nil, nil
	}
}

// tables are tables of sites; each site is in the first one that has it.
type tables []map[trace.SiteID]trace.Site

// of returns the site of that number; one without a number if none has it.
func (ts tables) of(id trace.SiteID) (site trace.Site) {
	for _, sites := range ts {
		if site, ok := sites[id]; ok {
			return site
		}
	}
	return trace.Site{}
}

// knownSites returns the sites of t and of a build, which may be nil, and an index of those of them of which more is
// known than their place: the scope of a condition, or that it fails the test.
func knownSites(build *trace.SiteTable, t *trace.Trace) (all tables, more *trace.SiteIndex) {
	all = tables{t.Sites}
	if build != nil {
		all = tables{build.Sites(), t.Sites}
	}
	decisive := make(map[trace.SiteID]trace.Site)
	for _, sites := range slices.Backward(all) {
		for id, site := range sites {
			if site.Scope.Last != 0 || site.Fails != trace.Neither {
				decisive[id] = site
			}
		}
	}
	return all, trace.IndexSites(decisive)
}

// worthwhile reports whether so many of the events are loads and stores of bare goroutines that it is worth the time
// to ask which ones conflict with others: a part of them.
func (s *survey) worthwhile() bool { return s.bare != nil && 8*s.accesses > s.seen }

// separate notes which accesses conflict with none.
func (s *survey) separate(c *conflicts) {
	if !c.full {
		s.free = new(c.told) // without the rest of c
		s.spare += c.told.free - c.told.free/maxSkipped
	}
}

// compare asks, while the trace is gone through again, whether the event e has to do with what a
// test beside its goroutine has. It is asked of all events of such goroutines, before the test and after it,
// and of those that they start.
func (s *survey) compare(e *trace.Event) {
	tests := s.beside[e.G]
	if len(tests) == 0 {
		return
	}
	for _, test := range tests {
		test.met = test.met || test.touched.has(e)
	}
	if e.Kind == trace.Fork {
		s.beside[trace.GID(e.Obj)] = tests
	}
}

// meet reports whether tests were found not to be alone since the trace was gone through.
func (s *survey) meet() (found bool) {
	for k := range s.tests {
		if test := &s.tests[k]; test.alone && test.met {
			test.alone, found = false, true
		}
	}
	return found
}

// result returns s without what was needed to find which tests ran alone.
func (s *survey) result() *survey {
	r := &survey{bare: s.bare, free: s.free, sites: s.sites, told: s.told, tests: s.tests}
	for k := range r.tests {
		r.tests[k].others, r.tests[k].touched = nil, nil
	}
	return r
}

// stay returns about how many events stay, with those that are in memory before they are left out.
func (s *survey) stay() int {
	n, most := s.seen-s.spare, 0
	for _, test := range s.tests {
		if test.alone {
			n -= test.decides - test.last
			most = max(most, test.decides-test.last)
		}
	}
	return n + min(most, dropAt)
}

// A tally tells roughly how many different memories were written: by how many bits of a table no write has
// set (Whang, Vander-Zanden and Taylor, A Linear-Time Probabilistic Counting Algorithm, TODS 1990).
type tally struct {
	bits   [tallyBits / 64]uint64
	writes int
}

const tallyBits = 1 << (64 - 46)

func (c *tally) clear() {
	if c.writes > 0 {
		*c = tally{}
	}
}

func (c *tally) add(e *trace.Event) {
	c.writes++
	h := memory{e.Obj, e.Size}.Hash()
	k := (h ^ h>>32) * mixer2 >> 46
	c.bits[k/64] |= 1 << (k % 64)
}

// different returns how many, and some more for chance.
func (c *tally) different() int {
	unset := tallyBits
	for _, word := range c.bits {
		unset -= bits.OnesCount64(word)
	}
	if unset == 0 {
		return c.writes
	}
	n := tallyBits * math.Log(float64(tallyBits)/float64(unset))
	return min(c.writes, int(n*1.02)+1)
}

// memory is what an access touches.
type memory struct {
	addr uint64
	size uint32
}

// Hash is that of a [numbering.Key].
func (m memory) Hash() uint64 { return numbering.HashMemory(m.addr, m.size, 0) }
