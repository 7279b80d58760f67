package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopredict/gopredict/recorder/trace"
)

// BenchmarkReplay runs a test plainly, and replays it under a schedule that it
// can follow and under one that cannot go on. Compare the three: a replay is to
// cost no more than half as much again, plus 50 ms.
func BenchmarkReplay(b *testing.B) {
	feasible := "gopredict-plan 1\norder 01\ntest TestRaceThenWait\ng 0 TestRaceThenWait:0.1\ng 1 TestRaceThenWait:0.2\n" +
		fmt.Sprintf("v 0 %d %d 1\nv 1 %d %d 1\n", trace.Write, 1<<31|1, trace.Read, 1<<31|2)
	stuck := feasible + fmt.Sprintf("s 1 %d %d 1\n", trace.Send, 1<<31|9)
	selftestBinary(b, "local")
	for _, way := range []struct{ name, plan string }{{"plain", ""}, {"feasible", feasible}, {"infeasible", stuck}} {
		b.Run(way.name, func(b *testing.B) {
			dir := b.TempDir()
			plan, mode := filepath.Join(dir, "plan"), "GOPREDICT_RT="
			if way.plan != "" {
				mode += "replay;plan=" + plan + ";verdict=" + filepath.Join(dir, "verdict")
				if err := os.WriteFile(plan, []byte(way.plan), 0o666); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				cmd := selftest(b, "local", "-test.run", "^TestRaceThenWait$")
				cmd.Env = append(os.Environ(), mode)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}
