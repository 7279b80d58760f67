package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/recorder/trace"
)

// What std starts behind the program's back, some of it only once, does not
// number the program's goroutines.
func TestNumbersAreTheProgramsOwn(t *testing.T) { eachRelease(t, testNumbersAreTheProgramsOwn) }

func testNumbersAreTheProgramsOwn(t *testing.T, toolchain string) {
	names := make(map[string][]string)
	for _, g := range recordBuilt(t, toolchain, "^TestNumbers").Goroutines {
		if g.Test != "" {
			names[g.Test] = append(names[g.Test], g.Path)
		}
	}
	for _, paths := range names {
		slices.Sort(paths)
	}
	require.Equal(t, map[string][]string{
		"TestNumbersFirst": {"0", "0.1", "0.2", "0.WithDeadlineCause-1"},
		"TestNumbersAgain": {"0", "0.1", "0.2", "0.WithDeadlineCause-1"},
	}, names)
}

func TestOrders(t *testing.T) { eachRelease(t, testOrders) }

func testOrders(t *testing.T, toolchain string) {
	for order, said := range map[string]string{
		"":              "order: parent young old",
		";order=oldest": "order: parent old young",
		";order=child":  "order: old young parent",
	} {
		_, out, err := runBuilt(t, toolchain, "record;trace=$DIR/trace"+order, "^TestOrder$")
		require.NoError(t, err, out)
		require.Contains(t, out, said, order)
	}
}

// One that is interrupted goes on as soon as the others wait, whoever else they wake.
func TestInterrupted(t *testing.T) { eachRelease(t, testInterrupted) }

func testInterrupted(t *testing.T, toolchain string) {
	_, out, err := runBuilt(t, toolchain, "record;trace=$DIR/trace", "^TestInterrupted$")
	require.NoError(t, err, out)
	require.Contains(t, out, "rounds: 3")
}

// A goroutine that sets a short timer and waits for another goroutine, too, is late in one
// of the orders, a few times; it is never late for a timer that is longer than that.
func TestBriefTimer(t *testing.T) { eachRelease(t, testBriefTimer) }

func testBriefTimer(t *testing.T, toolchain string) {
	for order, said := range map[string]string{
		"":              "brief: done done done done done",
		";order=oldest": "brief: timer timer timer timer done",
		";order=child":  "brief: done done done done done",
	} {
		_, out, err := runBuilt(t, toolchain, "record;trace=$DIR/trace"+order, "^TestBriefTimer$")
		require.NoError(t, err, out)
		require.Contains(t, out, "long: done done done", order)
		require.Contains(t, out, said, order)
	}
}

// Goroutines that give way by chance do so in the same places whenever they have the
// same seed, and in others with another one; in replays, too.
func TestOrderByChance(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan")
	require.NoError(t, os.WriteFile(plan, []byte("gopredict-plan 1\norder 01\ntest TestOrderByChance\n"), 0o666))
	turns := func(mode string) string {
		dir, out, err := run(t, mode, "^TestOrderByChance$")
		require.NoError(t, err, out)
		tr, err := trace.ReadFile(filepath.Join(dir, "trace"))
		require.NoError(t, err)
		var turns strings.Builder
		for i, e := range tr.Events {
			if g := tr.Goroutines[e.G]; g.Test != "" && (i == 0 || tr.Events[i-1].G != e.G) {
				turns.WriteString(g.Path + " ")
			}
		}
		return turns.String()
	}
	for _, mode := range []string{"record", "replay;plan=" + plan + ";verdict=$DIR/verdict"} {
		mode += ";trace=$DIR/trace"
		first := turns(mode + ";order=seed1")
		require.Equal(t, first, turns(mode+";order=seed1"))
		require.NotEqual(t, first, turns(mode+";order=seed2"))
		require.Greater(t, len(first), 2*len(turns(mode)))
		for _, order := range []string{"pos%d", "pct%d/3/100"} {
			of := func(seed int) string { return turns(mode + ";order=" + fmt.Sprintf(order, seed)) }
			first := of(1)
			require.Equal(t, first, of(1), order)
			require.NotEqual(t, first, of(2), order)
		}
	}
}

// Orders of chance draw other numbers than all others, the same each time, and those of an odd
// seed the opposite of the seed before.
func TestOrdersOfChance(t *testing.T) {
	coins := func(order string) string {
		_, out, err := run(t, "record;trace=$DIR/trace"+order, "^TestCoins$")
		require.NoError(t, err, out)
		_, text, found := strings.Cut(out, "coins: ")
		require.True(t, found, out)
		return text[:16]
	}
	opposite := strings.NewReplacer("0", "1", "1", "0")
	first, third := coins(""), coins(";order=chance2")
	require.NotEqual(t, first, third)
	require.Equal(t, first, coins(";order=seed2"))
	require.Equal(t, opposite.Replace(first), coins(";order=chance1"))
	require.Equal(t, opposite.Replace(third), coins(";order=chance3"))
	require.Equal(t, third, coins(";order=chance2"))
}
