package anomaly_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gopredict/gopredict/analysis/anomaly"
	"github.com/gopredict/gopredict/analysis/order"
	"github.com/gopredict/gopredict/internal/tracetest"
	"github.com/gopredict/gopredict/recorder/trace"
)

func search(t testing.TB, tr *trace.Trace, patterns []anomaly.Pattern) *anomaly.Anomalies {
	t.Helper()
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	return anomaly.Search(tr, o, anomaly.FindRegions(tr, o), patterns, anomaly.MaxCombinations)
}

func TestSearch(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"PECAN figure 3", `
			1 regionbegin
			1 acq l1       // v1
			1 r x          // v2
			1 rel l1       // v3
			1 w y          // v4
			1 w x          // v5
			1 regionend
			2 acq l1       // v6
			2 acq l2       // v7
			2 w x          // v8
			2 rel l2
			2 rel l1`,
			[]string{"r-w-w 2 9 5"}},
		{"unguarded write into a critical section", `
			1 acq l
			1 r x
			1 r x
			1 rel l
			2 w x`,
			[]string{"r-w-r 1 4 2"}},
		{"one place that is come to twice", `
			1 acq l
			1 w x @5
			1 w x @5
			1 rel l
			2 r x`,
			[]string{"w-r-w 1 4 2"}},
		{"guarded by the same lock", `
			1 acq l
			1 r x
			1 r x
			1 rel l
			2 acq l
			2 w x
			2 rel l`, nil},
		{"another lock, and the region ends at the send", `
			1 acq l
			1 r x
			1 send c/1
			1 sent c#1/1
			1 r x
			1 rel l
			2 w x`, nil},
		{"a lock in between, but never free", `
			1 regionbegin
			1 acq l
			1 r x
			1 acq m
			1 rel l
			1 r x
			1 rel m
			1 regionend
			2 acq l
			2 acq m
			2 w x
			2 rel m
			2 rel l`, nil},
		{"ordered", `
			1 acq l
			1 r x
			1 r x
			1 rel l
			1 post p
			2 await p
			2 w x`, nil},
		{"two variables", `
			1 acq l
			1 w x
			1 w y
			1 rel l
			2 acq m
			2 r x
			2 r y
			2 rel m`,
			[]string{"w1-r1-r2-w2 1 5 6 2", "r1-w1-w2-r2 5 1 2 6"}},
		{"two variables in opposite orders", `
			1 acq l
			1 w x
			1 w y
			1 rel l
			2 acq m
			2 r y
			2 r x
			2 rel m`,
			[]string{"w1-r2-r1-w2 1 5 6 2", "r1-w2-w1-r2 5 1 2 6", "w1-r2-w2-r1 1 5 2 6", "r1-w2-r2-w1 5 1 6 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, a := range search(t, tracetest.Parse(t, test.text), anomaly.Builtin()).Found {
				got = append(got, strings.Trim(fmt.Sprint(a.Pattern.Name, a.Matches[0]), "]"))
			}
			for k := range got {
				got[k] = strings.ReplaceAll(got[k], "[", " ")
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestUserPatterns has a pattern of three goroutines and one of three variables.
func TestUserPatterns(t *testing.T) {
	patterns, err := anomaly.ParsePatterns("user.txt", `
pattern relay
E   e1 e2 e3
T   t1 t2 t3
SV  s1 s1 s1
AR  u1 u2 u3
AT  w  w  r

pattern triangle
E   e1 e2 e3 e4 e5 e6
T   t1 t1 t2 t2 t2 t1
SV  s1 s2 s1 s2 s3 s3
AR  u1 u1 u2 u2 u2 u1
AT  w  w  r  r  r  w`)
	if err != nil {
		t.Fatal(err)
	}
	tr := tracetest.Parse(t, `
		1 acq l
		1 w x
		1 w y
		1 w z
		1 rel l
		2 acq m
		2 r x
		2 r y
		2 r z
		2 rel m
		3 w y`)
	var got []string
	for _, a := range search(t, tr, patterns).Found {
		got = append(got, fmt.Sprint(a.Pattern.Name, a.Matches[0], a.Exhaustive))
	}
	if want := []string{"relay[2 10 7] true", "relay[10 2 7] true", "triangle[1 2 6 7 8 3] true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTwoRegions wants two regions of one goroutine: a region that has both accesses is
// none of them, and outside of regions each access stands alone.
func TestTwoRegions(t *testing.T) {
	patterns, err := anomaly.ParsePatterns("user.txt", `
pattern between
E   e1 e2 e3
T   t1 t2 t1
SV  s  s  s
AR  u1 u2 u3
AT  r  w  r`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, want string }{
		{"1 regionbegin\n1 r x\n1 r x\n1 regionend\n2 w x", ""},
		{"1 regionbegin\n1 r x\n1 regionend\n1 regionbegin\n1 r x\n1 regionend\n2 w x", "[[1 6 4]]"},
		{"1 r x\n1 r x\n2 w x", "[[0 2 1]]"},
	} {
		got := ""
		for _, a := range search(t, tracetest.Parse(t, test.text), patterns).Found {
			got += fmt.Sprint(a.Matches)
		}
		if got != test.want {
			t.Errorf("%s:\ngot %s, want %s", test.text, got, test.want)
		}
	}
}

// TestThreeGoroutines wants three, and finds none where two have all accesses.
func TestThreeGoroutines(t *testing.T) {
	patterns, err := anomaly.ParsePatterns("user.txt", "pattern relay\nE e1 e2 e3\nT t1 t2 t3\nSV s s s\nAR u1 u2 u3\nAT w w r")
	if err != nil {
		t.Fatal(err)
	}
	if found := search(t, tracetest.Parse(t, "1 w x\n1 w x\n2 r x"), patterns).Found; len(found) > 0 {
		t.Errorf("found %v, want nothing", found)
	}
}

func TestRegions(t *testing.T) {
	tr := tracetest.Parse(t, `
		1 w x           // 0
		1 acq a         // 1
		1 acq b         // 1
		1 rel a         // 1
		1 w x           // 1
		1 rel b         // 1
		2 racq c        // 2
		1 regionbegin   // 3
		1 acq a         // 3
		1 rel a         // 3
		1 acq a         // 3
		1 send c/1      // 0
		1 sent c#1/1    // 0
		1 w x           // 4
		1 rel a         // 4
		1 regionend     // 0
		2 rrel c        // 2
		2 racq c        // 5
		2 wgwait w      // 0
		2 w x           // 6`)
	o, err := order.New(tr)
	if err != nil {
		t.Fatal(err)
	}
	r := anomaly.FindRegions(tr, o)
	var got []int
	for i := range tr.Events {
		got = append(got, r.Of(i))
	}
	if want := []int{0, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 0, 0, 4, 4, 0, 2, 5, 0, 6}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Of the matches those come first whose events are near to each other.
func TestNearestMatchFirst(t *testing.T) {
	tr := tracetest.Parse(t, `
		1 acq l
		1 r x @2
		1 r x @3
		1 rel l
		3 acq l
		3 r x @2
		3 r x @3
		3 rel l
		2 w x`)
	found := search(t, tr, anomaly.Builtin()).Found
	if len(found) != 1 || fmt.Sprint(found[0].Matches) != "[[5 8 6] [1 8 2]]" {
		t.Errorf("found %v", found)
	}
}

// TestUnderOneLock has as many goroutines as it likes: what a lock keeps apart is looked at once for its places,
// and not for each two goroutines. A region that lets go of the lock in between counts all the same.
func TestUnderOneLock(t *testing.T) {
	under := func(goroutines int) *anomaly.Anomalies {
		var text strings.Builder
		for g := range goroutines {
			fmt.Fprintf(&text, "%d acq l\n%[1]d r x @1\n%[1]d w x @2\n%[1]d rel l\n", g+1)
		}
		fmt.Fprintf(&text, "%d regionbegin\n%[1]d acq l\n%[1]d r x @1\n%[1]d rel l\n%[1]d acq l\n%[1]d w x @2\n%[1]d rel l\n%[1]d regionend\n", goroutines+1)
		return search(t, tracetest.Parse(t, text.String()), anomaly.Builtin())
	}
	few, many := under(32), under(64)
	if len(few.Found) == 0 || len(many.Found) != len(few.Found) {
		t.Errorf("found %d and %d patterns, want as many, for the region that lets go of the lock", len(few.Found), len(many.Found))
	}
	if few.Truncated || many.Spent > 3*few.Spent {
		t.Errorf("looked at %d for 32 goroutines and at %d for 64, want no more than thrice as many", few.Spent, many.Spent)
	}
}
