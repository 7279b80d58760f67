package assertions

import (
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type counter interface{ Count() int }

// An account is counted in two critical sections: two goroutines may count as one.
type account struct {
	state
	failed bool
}

func (a *account) Count() int { return a.getN() }

func (a *account) inc() {
	n := a.Count()
	a.setN(n + 1)
}

// Both has two results.
func (a *account) Both() (int, error) {
	n := a.Count()
	if n < 0 {
		return 0, errFailed
	}
	return n, nil
}

func (a *account) fail(err error) error {
	a.setErr(err)
	return nil
}

// wrapped counts by way of another counter.
type wrapped struct{ counter }

func (w wrapped) Count() int { return w.counter.Count() }

func counted() *account {
	a := new(account)
	inTurn(a.inc, a.inc)
	return a
}

func assertEqual(t *testing.T, got, want int) {
	t.Helper()
	if got != want { // confirmed
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestHelper(t *testing.T) {
	assertEqual(t, 1, 1)
	assertEqual(t, counted().Count(), 2)
	assertEqual(t, 3, 3)
}

func assertNever(t *testing.T, got, want int) {
	t.Helper()
	if got == want { // cannot fail
		t.Errorf("got %d", got)
	}
}

// It holds in each order, whatever others get.
func TestHelperThatHolds(t *testing.T) {
	assertNever(t, counted().Count(), 0)
	assertNever(t, 1, 2)
}

func equal[T comparable](t testing.TB, got, want T) {
	t.Helper()
	if got != want { // confirmed
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestGenericHelper(t *testing.T) {
	equal(t, "a", "a")
	equal(t, counted().Count(), 2)
}

func equalText[T comparable](t testing.TB, got, want T) {
	if got != want { // confirmed
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGenericHelperOfText(t *testing.T) {
	var s state
	inTurn(func() { s.setName("first") }, func() { s.setName("second") })
	equalText(t, s.getName(), "second")
	equalText(t, 1, 1)
}

func deepEqual(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) { // confirmed
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestDeepEqual(t *testing.T) {
	deepEqual(t, []int{1}, []int{1})
	deepEqual(t, counted().Count(), 2)
}

func anyEqual(t *testing.T, got, want any) {
	if got != want { // confirmed
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEqualInterfaces(t *testing.T) {
	anyEqual(t, "a", "a")
	anyEqual(t, counted().Count(), 2)
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil { // confirmed
		t.Fatal(err)
	}
}

func TestNoErrorHelper(t *testing.T) {
	var a account
	noError(t, a.fail(nil))
	inTurn(func() { a.setErr(errFailed) }, func() { a.setErr(nil) })
	noError(t, a.getErr())
}

func TestErrorsIs(t *testing.T) {
	var s state
	inTurn(func() { s.setErr(nil) }, func() { s.setErr(errFailed) })
	if !errors.Is(s.getErr(), errFailed) { // confirmed
		t.Error("not failed")
	}
}

type is struct{ t *testing.T }

func (is is) True(ok bool) {
	is.t.Helper()
	if !ok { // confirmed
		is.t.Error("not true")
	}
}

func TestMethodHelper(t *testing.T) {
	is := is{t}
	is.True(1 < 2)
	is.True(counted().Count() == 2)
}

func requireTwo(t *testing.T, n int) {
	require.Equal(t, 2, n) // confirmed
}

func TestTestifyInHelper(t *testing.T) {
	requireTwo(t, 2)
	requireTwo(t, counted().Count())
}

func TestClosureHelper(t *testing.T) {
	a := new(account)
	expect := func(want int) {
		t.Helper()
		if got := a.Count(); got != want { // confirmed
			t.Errorf("got %d, want %d", got, want)
		}
	}
	expect(0)
	inTurn(a.inc, a.inc)
	expect(2)
}

func TestGetterOfInterface(t *testing.T) {
	var c counter = counted()
	assert.Equal(t, 2, c.Count()) // confirmed
}

func TestGetterOfWrappers(t *testing.T) {
	var c counter = wrapped{wrapped{counted()}}
	if n := c.Count(); n != 2 { // confirmed
		t.Error(n)
	}
}

func TestMethodValue(t *testing.T) {
	check := func(get func() int) {
		if n := get(); n < 2 { // confirmed
			t.Error(n)
		}
	}
	check(func() int { return 2 })
	check(counted().Count)
}

func TestTwoResults(t *testing.T) {
	var b interface{ Both() (int, error) } = counted()
	n, err := b.Both()
	if err != nil {
		t.Fatal(err)
	}
	if n != 2 { // confirmed
		t.Error(n)
	}
}

func TestTwoResultsInHeader(t *testing.T) {
	a := counted()
	if n, err := a.Both(); err != nil || n != 2 { // confirmed
		t.Error(n, err)
	}
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		others int
		want   int
	}{{"alone", 0, 2}, {"with another", 1, 3}} {
		t.Run(c.name, func(t *testing.T) {
			a := counted()
			for range c.others {
				a.inc()
			}
			if got := a.Count(); got != c.want { // confirmed
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// What unknown code knows may be called by it.
func TestKnownToOthers(t *testing.T) {
	a := counted()
	require.NotNil(t, a)
	if a.Count() != 2 { // confirmed
		t.Error("not both")
	}
}
