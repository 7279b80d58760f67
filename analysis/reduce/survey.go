package reduce

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// A survey finds the tests of a trace that ran alone. It takes all events before any is left out,
// since the events of other goroutines after a test decide whether the test was alone.
type survey struct {
	t             *trace.Trace
	longTest      int            // least number of events of a long test
	maxFlowEvents int            // events of the longest trace that formulas are evaluated for
	tests         []surveyedTest // top-level tests, in the order of their starts
	// The state of the running test, which is the last one of tests. Each of runningGoroutines waits for
	// the next one; there are none if the test is not alone.
	runningGoroutines []trace.GID
	endedSubtests     []trace.GID // goroutines of subtests that have ended
	testPassed        bool
	touched           *footprint      // objects that the test uses; nil if no other goroutine exists
	writtenMemory     distinctCounter // memory that the test wrote

	eventsSeen     int
	activities     []activity         // by goroutine
	liveGoroutines map[trace.GID]bool // goroutines that were started and have not ended
	// testsBeside has by goroutine the long tests that ran while it existed: they are alone only if they
	// share no object with it. It is nil if there are none.
	testsBeside [][]*surveyedTest
	// withoutValues is set by goroutine if its operands, conditions and conflict-free accesses are left
	// out; nil if that is so of none.
	withoutValues   []bool
	plainAccesses   int                   // loads and stores of goroutines without values
	omittedEstimate int                   // about how many of their events are left out
	conflictFree    *conflictFreeAccesses // which of their accesses conflict with no other; nil if unknown
	sites           siteTables
	knownSites      *trace.SiteIndex     // sites with a scope or a failing outcome
	branchCounts    map[trace.SiteID]int // conditions by site
}

// An activity summarizes the events of a goroutine.
type activity struct {
	eventsSeen                 int    // events of the trace up to its last event
	kept                       extent // from its first to its last event that is no condition or operand
	keptCount                  int    // events that are no conditions or operands
	plainAccesses, valueEvents int    // loads and stores; conditions and operands
}

// record adds event e, with which so many events of the trace were seen.
func (d *activity) record(e *trace.Event, seen int) {
	switch d.eventsSeen = seen; e.Kind {
	case trace.Operand, trace.Branch:
		d.valueEvents++
		return
	case trace.Read, trace.Write:
		d.plainAccesses++
	}
	d.keptCount++
	d.kept.add(seen - 1)
}

// A surveyedTest is a top-level test as far as the survey knows it.
type surveyedTest struct {
	name            string
	ranAlone        bool
	startPosition   int         // events up to its start, including the go statement
	eventCount      int         // events while it ran, of any goroutine
	dataEvents      int         // events of the test that may be left out
	lastWrites      int         // about how many of these are last writes to a memory, which are kept
	otherGoroutines []trace.GID // goroutines that existed when it started, or that these started meanwhile
	touched         *footprint
	interferes      bool // another goroutine uses an object of the test
}

// maxOtherGoroutines bounds the goroutines that exist beside a test that can be alone. longTestEvents
// is the least number of events of a long test, whose objects are compared with those of other
// goroutines.
const maxOtherGoroutines, longTestEvents = 1 << 10, 1 << 18

func newSurvey(t *trace.Trace, long, flow int) *survey {
	return &survey{t: t, longTest: long, maxFlowEvents: flow, liveGoroutines: make(map[trace.GID]bool), branchCounts: make(map[trace.SiteID]int)}
}

// take takes the next events of the trace.
func (s *survey) take(es []trace.Event) {
	for len(es) > 0 {
		n := s.takeDataEvents(es)
		if n == 0 {
			s.takeEvent(&es[0])
			n = 1
		}
		es = es[n:]
	}
}

// takeDataEvents takes the data events at the beginning of es, if the running test is alone and no
// other goroutine exists. It returns how many events it took. Most events of a trace take this fast
// path.
func (s *survey) takeDataEvents(es []trace.Event) (n int) {
	if len(s.runningGoroutines) == 0 {
		return 0
	}
	g, test := s.runningGoroutines[len(s.runningGoroutines)-1], &s.tests[len(s.tests)-1]
	if len(test.otherGoroutines) > 0 || int(g) >= len(s.activities) {
		return 0
	}
	d := &s.activities[g]
	for ; n < len(es) && es[n].G == g && es[n].IsDataEvent(); n++ {
		s.eventsSeen++
		if d.record(&es[n], s.eventsSeen); es[n].Kind == trace.Write {
			s.writtenMemory.add(&es[n])
		}
	}
	test.dataEvents += n
	return n
}

// takeEvent takes the next event.
func (s *survey) takeEvent(e *trace.Event) {
	s.eventsSeen++
	for int(e.G) >= len(s.activities) {
		s.activities = append(s.activities, activity{})
	}
	if e.Kind == trace.Branch {
		s.branchCounts[e.Site]++
	}
	s.activities[e.G].record(e, s.eventsSeen)
	g := &s.t.Goroutines[e.G]
	switch runner := g.RunsTests(); {
	case runner && e.Kind == trace.Fork && s.t.Goroutines[e.Obj].IsTest():
		s.finishTest()
		s.startTest(trace.GID(e.Obj))
	case runner || len(s.runningGoroutines) == 0:
	case e.G != s.runningGoroutines[len(s.runningGoroutines)-1] && s.isOther(e.G):
		if e.Kind == trace.Fork {
			s.addOther(trace.GID(e.Obj))
		}
	case !s.staysAlone(e):
		s.runningGoroutines = s.runningGoroutines[:0]
	default:
		test := &s.tests[len(s.tests)-1]
		if e.IsDataEvent() {
			test.dataEvents++
		}
		if e.Kind == trace.Write {
			s.writtenMemory.add(e)
		}
		if len(test.otherGoroutines) > 0 {
			s.touched.add(e)
		}
	}
	switch e.Kind {
	case trace.Fork:
		s.liveGoroutines[trace.GID(e.Obj)] = true
	case trace.End:
		delete(s.liveGoroutines, e.G)
	}
}

// startTest begins the survey of the test of goroutine g.
func (s *survey) startTest(g trace.GID) {
	test := surveyedTest{name: s.t.Goroutines[g].Test, startPosition: s.eventsSeen}
	s.tests = append(s.tests, test)
	s.writtenMemory.clear()
	if len(s.liveGoroutines) > maxOtherGoroutines {
		return
	}
	s.runningGoroutines = append(s.runningGoroutines, g)
	for g := range s.liveGoroutines {
		s.addOther(g)
	}
	if len(s.liveGoroutines) > 0 {
		if s.touched == nil {
			s.touched = new(footprint)
		}
		*s.touched = footprint{}
	}
}

// addOther records that goroutine g exists beside the running test.
func (s *survey) addOther(g trace.GID) {
	test := &s.tests[len(s.tests)-1]
	if test.otherGoroutines = append(test.otherGoroutines, g); len(test.otherGoroutines) > maxOtherGoroutines {
		s.runningGoroutines = s.runningGoroutines[:0]
	}
}

// isOther reports whether g exists beside the running test and is not part of it.
func (s *survey) isOther(g trace.GID) bool {
	return g != s.runningGoroutines[0] && slices.Contains(s.tests[len(s.tests)-1].otherGoroutines, g)
}

// staysAlone reports whether the running test is still alone after its event e.
func (s *survey) staysAlone(e *trace.Event) bool {
	switch e.Kind {
	case trace.Fork:
		if !trace.IsTestingFunction(s.t.Sites[e.Site].Func) {
			return false
		}
	case trace.Select, trace.SelectSend, trace.SelectRecv, trace.Panic:
		return false
	case trace.TestEnd:
		if e.Val != 0 {
			return false
		}
		s.testPassed = s.testPassed || e.G == s.runningGoroutines[0]
	}
	last := len(s.runningGoroutines) - 1
	if e.G == s.runningGoroutines[last] {
		return true
	}
	if k := slices.Index(s.runningGoroutines, e.G); k >= 0 { // it goes on, so those that it has waited for have ended
		s.endedSubtests = append(s.endedSubtests, s.runningGoroutines[k+1:]...)
		s.runningGoroutines = s.runningGoroutines[:k+1]
		return true
	}
	if slices.Contains(s.endedSubtests, e.G) {
		return !e.Kind.IsAccess() && !e.IsDataEvent()
	}
	if s.t.Goroutines[e.G].Parent != s.runningGoroutines[last] {
		return false
	}
	s.runningGoroutines = append(s.runningGoroutines, e.G)
	return true
}

// finishTest completes the survey of the running test. The last event may have started the next test.
func (s *survey) finishTest() {
	if len(s.tests) > 0 {
		test := &s.tests[len(s.tests)-1]
		test.eventCount = s.eventsSeen - test.startPosition
		test.ranAlone = len(s.runningGoroutines) > 0 && s.testPassed
		test.lastWrites = s.writtenMemory.estimate()
		if test.ranAlone && len(test.otherGoroutines) > 0 && test.eventCount >= s.longTest {
			test.touched, s.touched = s.touched, nil
		}
	}
	s.runningGoroutines, s.endedSubtests, s.testPassed = s.runningGoroutines[:0], s.endedSubtests[:0], false
}

// end completes the survey at the end of the trace: now it is known which goroutines have later
// events.
func (s *survey) end() {
	s.finishTest()
	s.touched, s.liveGoroutines = nil, nil
	s.testsBeside = nil
	for k := range s.tests {
		test := &s.tests[k]
		later := slices.DeleteFunc(test.otherGoroutines, func(g trace.GID) bool {
			return int(g) >= len(s.activities) || s.activities[g].eventsSeen <= test.startPosition
		})
		if test.ranAlone = test.ranAlone && (len(later) == 0 || test.touched != nil); !test.ranAlone || len(later) == 0 {
			test.touched = nil
		} else {
			if s.testsBeside == nil {
				s.testsBeside = make([][]*surveyedTest, len(s.t.Goroutines))
			}
			for _, g := range later {
				s.testsBeside[g] = append(s.testsBeside[g], test)
			}
		}
	}
}

// chooseWithoutValues sets withoutValues for the goroutines whose part of the trace is too long for
// formulas even without the events of tests that ran alone. A part ends where a test starts and no
// goroutine has events both before and after it; windows of the analysis can end only there. The table
// build describes sites that the trace does not; it may be nil.
func (s *survey) chooseWithoutValues(build *trace.SiteTable) {
	alone := make(map[string]bool)
	for _, test := range s.tests {
		alone[test.name] = test.ranAlone
	}
	starts := make([]int, len(s.tests))
	for k, test := range s.tests {
		starts[k] = test.startPosition - 1
	}
	covered := newSpans(starts)
	for g, did := range s.activities {
		if did.keptCount > 0 && !s.t.Goroutines[g].RunsTests() {
			covered.addExtent(did.kept)
		}
	}
	var ends []int // of the parts but the last
	for k := range covered.uncovered {
		ends = append(ends, starts[k])
	}
	keptEvents := make([]int, len(ends)+1) // by part
	part := func(g int) *int {
		k, _ := slices.BinarySearch(ends, s.activities[g].kept.first+1)
		return &keptEvents[k]
	}
	for g, did := range s.activities {
		if !alone[s.t.Goroutines[g].Test] {
			*part(g) += did.keptCount
		}
	}
	s.withoutValues, s.conflictFree, s.omittedEstimate, s.plainAccesses = make([]bool, len(s.activities)), nil, 0, 0
	for g, did := range s.activities {
		goroutine := &s.t.Goroutines[g]
		if did.keptCount > 0 && goroutine.Test != "" && *part(g) > s.maxFlowEvents && !alone[goroutine.Test] {
			s.withoutValues[g] = true
			s.omittedEstimate += did.valueEvents
			s.plainAccesses += did.plainAccesses
		}
	}
	if !slices.Contains(s.withoutValues, true) {
		s.withoutValues = nil
		return
	}
	if s.knownSites == nil {
		s.sites, s.knownSites = knownSites(build, s.t)
	}
	for site, n := range s.branchCounts {
		if s.knownSites.Of(site).FailsIf != trace.NoOutcome {
			s.omittedEstimate -= n // these stay
		}
	}
	s.omittedEstimate = max(0, s.omittedEstimate)
	if s.testsBeside == nil { // this is not asked again
		s.activities, s.branchCounts = nil, nil
	}
}

// A siteTables is a list of site tables, of which the first one that has a site applies.
type siteTables []map[trace.SiteID]trace.Site

// of returns the site with the number id, or the zero Site if no table has it.
func (ts siteTables) of(id trace.SiteID) (site trace.Site) {
	for _, sites := range ts {
		if site, ok := sites[id]; ok {
			return site
		}
	}
	return trace.Site{}
}

// knownSites returns the sites of t and of build, which may be nil, and an index of the sites with a
// scope or a failing outcome.
func knownSites(build *trace.SiteTable, t *trace.Trace) (all siteTables, more *trace.SiteIndex) {
	all = siteTables{t.Sites}
	if build != nil {
		all = siteTables{build.Sites(), t.Sites}
	}
	decisive := make(map[trace.SiteID]trace.Site)
	for _, sites := range slices.Backward(all) {
		for id, site := range sites {
			if site.Scope.LastLine != 0 || site.FailsIf != trace.NoOutcome {
				decisive[id] = site
			}
		}
	}
	return all, trace.IndexSites(decisive)
}

// shouldFindConflicts reports whether enough events are accesses of goroutines without values that
// finding their conflicts is worth two more passes.
func (s *survey) shouldFindConflicts() bool {
	return s.withoutValues != nil && 8*s.plainAccesses > s.eventsSeen
}

// setConflictFree stores which accesses conflict with no other, if c could track all memory.
func (s *survey) setConflictFree(c *conflicts) {
	if !c.tooLarge {
		s.conflictFree = new(c.conflictFree) // without the rest of c
		s.omittedEstimate += c.conflictFree.freeCount - c.conflictFree.freeCount/maxSkipped
	}
}

// checkInterference marks the tests beside the goroutine of e that share an object with e. While the
// trace is read again, it is called for all events of these goroutines and of those that they start.
func (s *survey) checkInterference(e *trace.Event) {
	tests := s.testsBeside[e.G]
	if len(tests) == 0 {
		return
	}
	for _, test := range tests {
		test.interferes = test.interferes || test.touched.mayShare(e)
	}
	if e.Kind == trace.Fork {
		s.testsBeside[trace.GID(e.Obj)] = tests
	}
}

// excludeInterfering marks tests as not alone with which another goroutine interferes. It reports
// whether there are any.
func (s *survey) excludeInterfering() (found bool) {
	for k := range s.tests {
		if test := &s.tests[k]; test.ranAlone && test.interferes {
			test.ranAlone, found = false, true
		}
	}
	return found
}

// result returns the part of s that is needed to read the trace again.
func (s *survey) result() *survey {
	r := &survey{withoutValues: s.withoutValues, conflictFree: s.conflictFree, sites: s.sites, knownSites: s.knownSites, tests: s.tests}
	for k := range r.tests {
		r.tests[k].otherGoroutines, r.tests[k].touched = nil, nil
	}
	return r
}

// keptEstimate returns about how many events are in memory at most: those that are kept, and a batch
// that is still to be dropped.
func (s *survey) keptEstimate() int {
	n, most := s.eventsSeen-s.omittedEstimate, 0
	for _, test := range s.tests {
		if test.ranAlone {
			n -= test.dataEvents - test.lastWrites
			most = max(most, test.dataEvents-test.lastWrites)
		}
	}
	return n + min(most, dropBatch)
}

// A distinctCounter estimates the number of distinct memories that were written, from the bits of a
// table that no write has set (Whang, Vander-Zanden and Taylor, A Linear-Time Probabilistic Counting
// Algorithm, TODS 1990).
type distinctCounter struct {
	bits   [counterBits / 64]uint64
	writes int
}

const counterBits = 1 << (64 - 46)

func (c *distinctCounter) clear() {
	if c.writes > 0 {
		*c = distinctCounter{}
	}
}

func (c *distinctCounter) add(e *trace.Event) {
	c.writes++
	h := memory{e.Obj, e.Size}.Hash()
	k := (h ^ h>>32) * mixer2 >> 46
	c.bits[k/64] |= 1 << (k % 64)
}

// estimate returns the estimated number of distinct memories, 2 % above the expected value.
func (c *distinctCounter) estimate() int {
	unset := counterBits
	for _, word := range c.bits {
		unset -= bits.OnesCount64(word)
	}
	if unset == 0 {
		return c.writes
	}
	n := counterBits * math.Log(float64(counterBits)/float64(unset))
	return min(c.writes, int(n*1.02)+1)
}

// A memory is the range of addresses that an access touches.
type memory struct {
	addr uint64
	size uint32
}

// Hash implements [numbering.Key].
func (m memory) Hash() uint64 { return numbering.HashMemory(m.addr, m.size, 0) }
