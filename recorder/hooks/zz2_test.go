package hooks

import ("testing";"os";"github.com/gopredict/gopredict/recorder/trace";"strings")

func TestVV(t *testing.T) {
	for _, f := range strings.Fields(os.Getenv("TRACES")) {
		tr, err := trace.ReadFile(f)
		if err != nil { t.Error(f, err); continue }
		m := map[trace.SiteID]bool{}
		var ss []trace.Site
		for _, e := range tr.Events { if e.Site&trace.SiteRewritten != 0 && !m[e.Site] { m[e.Site]=true; ss = append(ss, trace.Site{ID:e.Site, Key: uint64(e.Site), Func:"f", File:"f.go",Line:1})}}
		tr.AddSites(ss)
		t.Log(f, len(tr.Events), trace.Validate(tr))
	}
}
