package solver

// A lit is a literal of the search: twice the variable, plus one if negated.
type lit int32

func (l lit) not() lit        { return l ^ 1 }
func (l lit) variable() int32 { return int32(l >> 1) }

// A ref says why a literal holds: the place of a clause in the store, or one of
// the constants.
type clauseRef int32

const (
	noReason clauseRef = -1 - iota // a decision, an assumption, or a fact
	byOrder                        // the order of events says so
)

// A clause stands in the store as a header, a number that tells how useful it
// was, and its literals. The first two literals are watched.
const (
	clauseHeader = 2 // words before the literals
	learnedFlag  = 1 // in the header: it may be dropped again
	deletedFlag  = 2 // it was
	sizeShift    = 2 // the rest of the header is how many literals there are
)

// A watch is an entry in the list of a literal: the clause to look at when the
// literal becomes false, and another literal of it, that mostly spares the look.
type watch struct {
	clause  clauseRef
	blocker lit
}

// A store holds the clauses, one after the other: there are up to millions, short ones, and
// as slices of their own each would take more room for its header than for its literals,
// and time in each garbage collection.
type clauseStore struct {
	words   []lit
	wasted  int         // words of deleted clauses
	learned []clauseRef // in the order in which they were learned
}

// add appends a clause. The glue of a learned clause is the number of decision levels of its
// literals: clauses with few levels are the most useful (Audemard and Simon, IJCAI 2009).
func (s *clauseStore) add(lits []lit, learned bool, glue int) clauseRef {
	c := clauseRef(len(s.words))
	header := lit(len(lits) << sizeShift)
	if learned {
		header |= learnedFlag
		s.learned = append(s.learned, c)
	}
	s.words = append(s.words, header, lit(glue))
	s.words = append(s.words, lits...)
	return c
}

// lits returns the literals of a clause, to read and to swap. They are good until the next
// add or compact.
func (s *clauseStore) lits(c clauseRef) []lit {
	start := int(c) + clauseHeader
	return s.words[start : start+int(s.words[c]>>sizeShift)]
}

func (s *clauseStore) glue(c clauseRef) int { return int(s.words[c+1]) }

// delete marks a clause; its words, and the watches of it, stay until compact.
func (s *clauseStore) delete(c clauseRef) {
	s.words[c] |= deletedFlag
	s.wasted += clauseHeader + len(s.lits(c))
}

// compact drops the deleted clauses and returns where each place now is: the
// word of a clause's old header holds its new place.
func (s *clauseStore) compact() (old []lit) {
	old = s.words
	s.words = make([]lit, 0, len(old)-s.wasted)
	for c := 0; c < len(old); {
		n := clauseHeader + int(old[c]>>sizeShift)
		gone := old[c]&deletedFlag != 0
		place := lit(-1)
		if !gone {
			place = lit(len(s.words))
			s.words = append(s.words, old[c:c+n]...)
		}
		old[c] = place
		c += n
	}
	s.wasted = 0
	kept := s.learned[:0]
	for _, c := range s.learned {
		if old[c] >= 0 {
			kept = append(kept, clauseRef(old[c]))
		}
	}
	s.learned = kept
	return old
}
