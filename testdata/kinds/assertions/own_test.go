package assertions

import "testing"

func TestIfError(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	if s.getN() != 2 { // confirmed
		t.Error("not both")
	}
}

func TestIfErrorf(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	if s.getN() != 2 { // confirmed
		t.Errorf("not %s", "both")
	}
}

func TestIfFatal(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	if s.getN() != 2 { // confirmed
		t.Fatal("not both")
	}
}

func TestIfFatalf(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	if s.getN() != 2 { // confirmed
		t.Fatalf("not %s", "both")
	}
}

func TestIfFail(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	if s.getN() != 2 { // confirmed
		t.Fail()
	}
}

func TestIfFailNow(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	if s.getN() != 2 { // confirmed
		t.FailNow()
	}
}

func TestIfPanic(t *testing.T) {
	var s state
	inTurn(func() { s.setN(1) }, func() { s.setN(2) })
	if s.getN() != 2 { // confirmed
		panic("not both")
	}
}

func TestNilPointer(t *testing.T) {
	var s state
	inTurn(func() { s.with(func() { s.next = nil }) }, func() { s.setNext(&state{}) })
	_ = s.getNext().n // confirmed
}

func TestNilInterface(t *testing.T) {
	var s state
	inTurn(func() { s.with(func() { s.err = nil }) }, func() { s.setErr(errFailed) })
	_ = s.getErr().Error() // confirmed
}

func TestArrayIndex(t *testing.T) {
	var s state
	inTurn(func() { s.setN(4) }, func() { s.setN(3) })
	i := s.getN()
	s.table[i] = 1 // confirmed
}

func TestNegativeIndex(t *testing.T) {
	var s state
	inTurn(func() { s.setN(-1) }, func() { s.setN(3) })
	i := s.getN()
	_ = make([]int, 8)[i] // confirmed
}

func TestDivisor(t *testing.T) {
	var s state
	inTurn(func() { s.setN(0) }, func() { s.setN(3) })
	_ = 12 / s.getN() // confirmed
}

// The second one fails where the first one does, which goes on.
func TestTwoAssertions(t *testing.T) {
	var s state
	inTurn(func() { s.with(func() { s.n, s.on = 1, true }) }, func() {
		s.mu.Lock()
		n, on := s.n, s.on
		s.mu.Unlock()
		if n != 1 { // confirmed
			t.Error(n)
		}
		if !on {
			t.Error("not on")
		}
	})
}

func TestBelowRange(t *testing.T) {
	var s state
	s.setN(5)
	inTurn(func() { s.setN(-1) }, func() { s.setN(5) })
	if n := s.getN(); n < 0 || n > 10 { // confirmed
		t.Errorf("%d", n)
	}
}

func TestAboveRange(t *testing.T) {
	var s state
	s.setN(5)
	inTurn(func() { s.setN(11) }, func() { s.setN(5) })
	if n := s.getN(); !(n >= 0 && n <= 10) { // confirmed
		t.Fatal(n)
	}
}

func TestWithinRange(t *testing.T) {
	var s state
	s.setN(5)
	inTurn(func() { s.setN(6) }, func() { s.setN(5) })
	if n := s.getN(); n < 0 || n > 10 { // cannot fail
		t.Fatal(n)
	}
}

func TestArea(t *testing.T) {
	var width, height state
	inTurn(func() { width.setN(3); height.setN(4) }, func() { width.setN(6); height.setN(2) })
	if width.getN()*height.getN() != 12 { // confirmed
		t.Error("neither 3 by 4 nor 6 by 2")
	}
}
