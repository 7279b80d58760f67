package detect_test

import (
	"strings"
	"testing"

	"github.com/gopredict/gopredict/analysis/detect"
)

// What is mostly meant to be so is no candidate, but is where it goes wrong.
func TestIntended(t *testing.T) {
	const forks = "0 fork 1\n0 fork 2\n1 begin\n2 begin\n"
	twice := func(first, second, other string) string {
		return forks + "1 acq m\n1 acq n\n" + first + "1 rel n\n1 acq n\n" + second + "1 rel n\n1 rel m\n2 acq n\n" + other + "2 rel n"
	}
	for name, test := range map[string]struct {
		text       string
		candidates int
		intended   bool
	}{
		"counted twice":           {twice("1 r x update\n1 w x\n", "1 r x update\n1 w x\n", "2 r x update\n2 w x\n"), 0, true},
		"added twice":             {twice("1 r x update\n1 operand =3\n1 w x\n", "1 r x update\n1 operand =3\n1 w x\n", "2 r x update\n2 w x\n"), 0, true},
		"counted and reset":       {twice("1 r x update\n1 w x\n", "1 r x update\n1 w x\n", "2 w x\n"), 0, true},
		"written twice":           {twice("1 w x\n", "1 w x\n", "2 r x\n"), 0, true},
		"read twice":              {twice("1 r x\n", "1 r x\n", "2 w x\n"), 1, false},
		"by the same code":        {strings.ReplaceAll(twice("1 r x\n", "1 r x\n", "2 w x\n"), "1 acq n", "1 acq n @20"), 0, true},
		"of two variables":        {strings.ReplaceAll(twice("1 r x\n", "1 r y\n", "2 w x\n2 w y\n"), "1 acq n", "1 acq n @20"), 1, false},
		"written by the same":     {strings.ReplaceAll(twice("1 r x\n", "1 w x\n", "2 w x\n"), "1 acq n", "1 acq n @20"), 1, false},
		"two variables":           {twice("1 w x\n1 w y\n", "1 w x\n", "2 r x\n2 r y\n"), 0, true},
		"read, then written":      {twice("1 r x\n", "1 w x\n", "2 w x\n"), 1, false},
		"written as last read":    {twice("1 r x\n", "1 r x\n1 w x\n", "2 w x\n"), 1, true},
		"no lock by the other":    {forks + "1 acq m\n1 acq n\n1 w x\n1 rel n\n1 acq n\n1 w x\n1 rel n\n1 rel m\n2 r x", 1, false},
		"kept by the region":      {forks + "1 acq m\n1 acq n\n1 w x\n1 acq o\n1 rel o\n1 w x\n1 rel n\n1 rel m\n2 acq o\n2 r x\n2 rel o", 1, false},
		"a lock of each variable": {forks + "1 acq m\n1 acq n\n1 w x\n1 rel n\n1 acq o\n1 w y\n1 rel o\n1 rel m\n2 acq p\n2 acq n\n2 r x\n2 rel n\n2 acq o\n2 r y\n2 rel o\n2 rel p", 0, true},
		"in a marked region":      {forks + "1 regionbegin\n1 acq n\n1 w x\n1 rel n\n1 acq n\n1 w x\n1 rel n\n1 regionend\n2 acq n\n2 r x\n2 rel n", 1, false},
		"flag looked at twice":    {forks + "1 acq m\n1 aload f\n1 aload f\n1 rel m\n2 astore f=1", 0, true},
		"stored after a look":     {forks + "1 acq m\n1 aload f\n1 astore f=2\n1 rel m\n2 astore f=1", 1, false},
		"flag in a marked region": {forks + "1 regionbegin\n1 aload f\n1 aload f\n1 regionend\n2 astore f=1", 1, false},
	} {
		cs, counts := detect.Patterns.Candidates(input(t, test.text))
		if len(cs) != test.candidates || counts.Intended > 0 != test.intended {
			t.Errorf("%s: %d candidates, %d intended", name, len(cs), counts.Intended)
		}
	}
}
