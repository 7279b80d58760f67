package predictrt

import (
	"strings"
	"testing"
	"time"
)

// Each word that a mode can have is one that the library reads.
func TestMode(t *testing.T) {
	for m, want := range map[Mode]string{
		{}:                        "",
		{Trace: "t"}:              "record;trace=t",
		{Trace: "t", Limit: 1}:    "record;trace=t;limit=1",
		{Trace: "t", Brief: true}: "record;trace=t;brief",
		{Plan: "p", Verdict: "v"}: "replay;plan=p;verdict=v",
		{Plan: "p", Verdict: "v", Trace: "t", Limit: 2, Order: "seed1", Hold: time.Second}: "replay;plan=p;verdict=v;trace=t;limit=2;order=seed1;hold=1000000000",
		{Trace: "t", Brief: true, Tests: time.Microsecond}:                                 "record;trace=t;brief;tests=1000",
	} {
		if got := m.String(); got != want {
			t.Errorf("%+v: found %q, expected %q", m, got, want)
		}
		for _, word := range strings.Split(want, ";") {
			name, _, _ := strings.Cut(word, "=")
			if !strings.Contains(read(t, "init.go"), `"`+name+`"`) {
				t.Errorf("init.go does not read %q", name)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	return string(files[name])
}
