package reduce

import (
	"io"
	"math"
	"os"
	"slices"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
	"github.com/gopredict/gopredict/recorder/trace/numbering"
)

// This file leaves out events of tests that ran alone. Their events cannot be reordered, and many
// suites do most of their work in such tests. Events that others may depend on are kept: all
// synchronization, the begins and ends of goroutines and tests, freed memory, and the last write
// to each memory. File survey.go finds the tests that ran alone.

// ReadConcurrent is [ReadFile] without the events that no prediction needs. It leaves out two groups:
//
// Goroutines whose part of the trace is too long for package dataflow lose their operands, the
// conditions that fail no test, and the accesses that conflict with no other. The next event that is
// kept gets FlagBranchOmitted, since what it does may depend on the values read. Event.Skipped counts the
// accesses left out before it.
//
// Top-level tests that ran alone and passed lose their accesses, conditions and assertions. Such a
// test started no goroutines but those of its subtests, and waited for each. It had no select, which
// may choose. When it started, no other goroutine existed that has later events, apart from the one
// that runs the tests. For a long test, goroutines that share nothing with it are allowed as well.
//
// Trace.OmittedEvents counts the events left out. The file is read twice, as the end of the trace shows which
// tests ran alone, or four times, to find conflicts. No event that is left out takes memory for long.
// The table build describes sites that the trace does not; it may be nil.
func ReadConcurrent(path string, build *trace.SiteTable) (*trace.Trace, error) {
	return readConcurrent(path, build, longTestEvents, dataflow.MaxEvents)
}

// readConcurrent is [ReadConcurrent] with other limits: long is the least number of events of a long
// test, and flow the largest number of events that formulas are evaluated for.
func readConcurrent(path string, build *trace.SiteTable, long, flow int) (*trace.Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := trace.NewReader(f)
	t := d.Trace()
	s := newSurvey(t, long, flow)
	d.Scan(s.take, nil) // an error comes again when the events are loaded
	s.end()
	rewind := func(room int) error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		d.Rewind(room)
		return nil
	}
	for {
		if s.chooseWithoutValues(build); s.shouldFindConflicts() {
			c := newConflicts(s.withoutValues)
			for _, pass := range []func([]trace.Event){c.findUsers, c.findConflictFree} {
				c.rewind()
				if err := rewind(0); err != nil {
					return t, err
				}
				d.Scan(pass, c.freeMemory)
			}
			s.setConflictFree(c)
		}
		if err := rewind(s.keptEstimate()); err != nil {
			return t, err
		}
		kept := newAloneFilter(t, s)
		err = d.ReadFiltered(kept.take)
		kept.finish()
		if !s.excludeInterfering() {
			t.EventSource = &source{path: path, survey: s.result(), eventCount: len(t.Events), capacity: cap(t.Events), stop: d.EndPoint()}
			return t, trace.WithFileName(err, path)
		}
		t.Events = nil // before there is more
	}
}

// An aloneFilter leaves events out of a trace while it is read.
type aloneFilter struct {
	t           *trace.Trace
	survey      *survey
	eventsSeen  int        // events taken so far, including those left out
	omissions   []omission // by goroutine
	nextTest    int        // index in survey.tests of the next test to start
	currentTest string     // the running test if it ran alone, or ""
	// testStart, freedStart and heldStart are the lengths of the trace's events, Freed and Held when the
	// running test began. From dropThreshold events on, events of the test are dropped.
	testStart, freedStart, heldStart, dropThreshold int
	lastWriteBits                                   []uint64 // one bit per event of the test, see findLastWrites
	writtenMemory                                   numbering.Numbers[memory]
	accessesSeen                                    int                            // accesses that survey.conflictFree has a bit for, so far
	skippedCounts                                   numbering.Table[place, uint16] // by place: accesses left out since the last kept one
}

// A place identifies the accesses of one kind that a goroutine performs at one site.
type place struct {
	g         trace.GID
	site      trace.SiteID
	kind      trace.Kind
	testBegun bool // whether its test had begun: schedules count accesses from then on
}

// Hash implements [numbering.Key].
func (p place) Hash() uint64 {
	return numbering.Hash(uint64(p.g)<<32 ^ uint64(p.site) ^ uint64(p.kind)<<56)
}

// An omission describes the events of a goroutine that were left out since its last kept event.
type omission struct {
	branched   bool        // a condition that may decide what the goroutine does next
	testBegun  bool        // its test has begun, if it is the goroutine of a test
	openBranch *trace.Site // the last condition, if nothing has happened within its scope yet; or nil
}

// dropBatch is the number of removable events of a test that may be in memory before they are dropped.
const dropBatch = 1 << 17

func newAloneFilter(t *trace.Trace, s *survey) *aloneFilter {
	t.LacksValues = s.withoutValues
	return &aloneFilter{t: t, survey: s, omissions: make([]omission, len(t.Goroutines))}
}

// take adds the next events of the trace, and drops those of tests that ran alone.
func (a *aloneFilter) take(es []trace.Event) {
	for tests := a.survey.tests; len(es) > 0; {
		n := len(es)
		begins := a.nextTest < len(tests) && tests[a.nextTest].startPosition <= a.eventsSeen+n
		if begins {
			n = tests[a.nextTest].startPosition - a.eventsSeen
		}
		a.eventsSeen += n
		a.add(es[:n])
		es = es[n:]
		if begins {
			a.finish()
			if tests[a.nextTest].ranAlone {
				a.currentTest = tests[a.nextTest].name
			}
			a.nextTest++
		} else if a.currentTest != "" && len(a.t.Events) >= a.dropThreshold {
			a.dropTestEvents()
		}
	}
}

// add appends events to the trace, except those that can be left out at once.
func (a *aloneFilter) add(es []trace.Event) {
	kept, bare, beside := a.t.Events, a.survey.withoutValues, len(a.survey.testsBeside) > 0
	for i := range es {
		e := &es[i]
		if bare != nil && bare[e.G] {
			if !a.keeps(e) {
				if e.Kind == trace.Write {
					a.t.DropPriorValue(len(kept))
				}
				continue
			}
			kept = append(kept, *e)
			a.markOmissions(&kept[len(kept)-1])
			if beside {
				a.survey.checkInterference(e)
			}
			continue
		}
		if beside {
			a.survey.checkInterference(e)
		}
		if a.currentTest == "" || !e.IsDataEvent() || e.Kind == trace.Write || !a.belongsToTest(e) {
			kept = append(kept, *e)
		}
	}
	a.t.OmittedEvents += len(es) - (len(kept) - len(a.t.Events))
	a.t.Events = kept
}

// keeps reports whether event e, of a goroutine whose values are not tracked, is kept. Operands are
// not, nor conditions that fail no test, nor accesses that conflict with no other. They show only that
// the goroutine's next event may depend on what it read, which FlagBranchOmitted records. A condition does
// not even show that if nothing happened within its scope: then both outcomes lead to the same events.
func (a *aloneFilter) keeps(e *trace.Event) bool {
	left := &a.omissions[e.G]
	if left.openBranch != nil && e.Kind != trace.Operand {
		site := a.survey.sites.of(e.Site)
		left.branched = left.branched || !left.openBranch.ScopeEndsAt(&site)
		left.openBranch = nil
	}
	switch {
	case e.Kind == trace.Operand:
		return false
	case e.Kind == trace.Branch:
		site := a.survey.knownSites.Of(e.Site)
		if site.FailsIf != trace.NoOutcome {
			return true
		}
		if site.Scope.LastLine != 0 && site.Scope.MayFlip(e) {
			left.openBranch = site
		} else {
			left.branched = true
		}
		return false
	case mayBeLeftOut(e) && a.nextIsConflictFree() && a.skip(e):
		left.branched = true
		return false
	}
	return true
}

// nextIsConflictFree reports whether the next access that may be left out conflicts with no other.
func (a *aloneFilter) nextIsConflictFree() bool {
	a.accessesSeen++
	return a.survey.conflictFree != nil && a.survey.conflictFree.isFree(a.accessesSeen-1)
}

// markOmissions records in e, which is kept, the events of its goroutine that were left out before it.
func (a *aloneFilter) markOmissions(e *trace.Event) {
	left := &a.omissions[e.G]
	if left.branched {
		e.Flags |= trace.FlagBranchOmitted
		left.branched = false
	}
	if e.Kind.IsPlain() {
		if n := a.skippedCounts.Known(a.place(e)); n != nil {
			e.Skipped, *n = *n, 0
		}
	}
	left.testBegun = left.testBegun || e.Kind == trace.TestBegin && a.t.Goroutines[e.G].Path == "0"
}

// maxSkipped bounds the accesses left out in a row at one place: Event.Skipped cannot count more.
const maxSkipped = math.MaxUint16

// skip counts e as left out. It reports false if e must be kept as the count is full.
func (a *aloneFilter) skip(e *trace.Event) bool {
	n := a.skippedCounts.Of(a.place(e))
	if *n == maxSkipped {
		return false
	}
	*n++
	return true
}

func (a *aloneFilter) place(e *trace.Event) place {
	return place{e.G, e.Site, e.Kind, a.omissions[e.G].testBegun}
}

// finish drops the events of the test that has ended, if it ran alone. The go statement of the next
// test may have been taken already.
func (a *aloneFilter) finish() {
	if a.currentTest != "" {
		a.dropTestEvents()
	}
	if a.writtenMemory.Len() > dropBatch/2 {
		a.writtenMemory = numbering.Numbers[memory]{} // most tests write less
	}
	a.currentTest, a.testStart, a.freedStart, a.heldStart = "", len(a.t.Events), len(a.t.Freed), len(a.t.PriorValues)
	a.dropThreshold = a.testStart + dropBatch
}

// dropTestEvents leaves out the writes of the test since it began, except for the last write to each memory.
// Its other removable events were not added.
func (a *aloneFilter) dropTestEvents() {
	t := a.t
	a.findLastWrites()
	freed, held := t.Freed[a.freedStart:], t.PriorValues[a.heldStart:]
	t.Freed, t.PriorValues = t.Freed[:a.freedStart], t.PriorValues[:a.heldStart]
	to := a.testStart
	free := func(f *trace.FreedObjects) {
		t.Freed = append(t.Freed, trace.FreedObjects{FirstAddr: f.FirstAddr, Mask: f.Mask, Size: f.Size, Position: int32(to)})
	}
	for i := a.testStart; i < len(t.Events); i++ {
		freed = trace.FreedBefore(freed, i, free)
		before := len(held) > 0 && held[0].Position == i
		if k := i - a.testStart; a.lastWriteBits[k/64]>>(k%64)&1 != 0 || t.Events[i].Kind != trace.Write || !a.belongsToTest(&t.Events[i]) {
			if before {
				t.PriorValues = append(t.PriorValues, trace.PriorValue{Position: to, Val: held[0].Val})
			}
			t.Events[to] = t.Events[i]
			to++
		}
		if before {
			held = held[1:]
		}
	}
	trace.FreedBefore(freed, len(t.Events), free)
	t.OmittedEvents += len(t.Events) - to
	t.Events = t.Events[:to]
	a.dropThreshold = to + max(dropBatch, to-a.testStart)
}

// settledCount returns how many events at the beginning of the trace cannot be left out any more.
func (a *aloneFilter) settledCount() int {
	if a.currentTest != "" {
		return a.testStart
	}
	return len(a.t.Events)
}

// removeFirst removes the first n events, which must be settled, from the trace.
func (a *aloneFilter) removeFirst(n int) {
	a.t.Events = a.t.Events[:copy(a.t.Events, a.t.Events[n:])]
	a.testStart, a.dropThreshold = max(0, a.testStart-n), a.dropThreshold-n
}

// belongsToTest reports whether e is an event of the running test.
func (a *aloneFilter) belongsToTest(e *trace.Event) bool {
	return a.t.Goroutines[e.G].Test == a.currentTest
}

// findLastWrites sets the bits in lastWriteBits of the test's last write to each memory. Later tests
// may read these values, so the writes are kept.
func (a *aloneFilter) findLastWrites() {
	n := (len(a.t.Events)-a.testStart)/64 + 1
	a.lastWriteBits = slices.Grow(a.lastWriteBits[:0], n)[:n]
	clear(a.lastWriteBits)
	a.writtenMemory.Clear()
	for i := len(a.t.Events) - 1; i >= a.testStart; i-- {
		e := &a.t.Events[i]
		if e.Kind != trace.Write || !a.belongsToTest(e) {
			continue
		}
		if n := a.writtenMemory.Len(); int(a.writtenMemory.Of(memory{e.Obj, e.Size})) == n {
			k := i - a.testStart
			a.lastWriteBits[k/64] |= 1 << (k % 64)
		}
	}
}
