package bug

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A decision is a row of a table of evidence: one character for each piece, in the order of the
// table's head. It is + where the piece must be there, - where it must not be, and . where it does
// not matter.
type decision struct {
	evidence string
	status   Status
}

// checkTable compares the rows with all combinations of the pieces: exactly one row is of each.
func checkTable(t *testing.T, head string, rows []decision, statusOf func(is func(piece string) bool) Status) {
	pieces := strings.Fields(head)
	used := make(map[int]bool)
	for n := range 1 << len(pieces) {
		is := func(piece string) bool {
			for k, p := range pieces {
				if p == piece {
					return n>>k&1 == 1
				}
			}
			panic(piece)
		}
		var there []string
		var fitting []int
		for k, p := range pieces {
			if n>>k&1 == 1 {
				there = append(there, p)
			}
		}
		for r, row := range rows {
			fits := true
			for k, c := range strings.ReplaceAll(row.evidence, " ", "") {
				fits = fits && (c == '.' || (c == '+') == (n>>k&1 == 1))
			}
			if fits {
				fitting = append(fitting, r)
			}
		}
		if !assert.Len(t, fitting, 1, "rows for %v", there) {
			return
		}
		used[fitting[0]] = true
		assert.Equal(t, rows[fitting[0]].status, statusOf(is), "%v", there)
	}
	assert.Len(t, used, len(rows), "each row is needed")
}

// What is said of a finding, by all combinations of evidence.
func TestStatus(t *testing.T) {
	rows := []decision{
		// some  all  unproven  scheduled  refuted  departs  chance
		{"+ + - . . . .", Confirmed},
		{"+ + + . . . .", Unconfirmed}, // each replay has shown it, and the schedule is not why
		{"+ - . . . . .", Unconfirmed},
		{"- . . + . . .", Predicted},
		{"- . . - + - -", Infeasible},
		{"- . . - + + .", Undecided}, // a run that departs may come there
		{"- . . - + - +", Undecided}, // chance may lead there
		{"- . . - - . .", Undecided},
	}
	checkTable(t, "replayed reproduced unproven scheduled refuted departs chance", rows, func(is func(string) bool) Status {
		e := Evidence{Unproven: is("unproven"), Scheduled: is("scheduled"), Refuted: is("refuted"), Departs: is("departs")}
		if is("chance") {
			e.LookedAtChance = []string{"the order of a map"}
		}
		if is("replayed") {
			e.Replays = 2
		}
		if e.Replays > 0 && is("reproduced") {
			e.Reproduced = 2
		}
		return e.Status()
	})
}

// What is said of a saved witness, by all combinations of evidence.
func TestSavedStatus(t *testing.T) {
	rows := []decision{
		// damaged  all  some  elsewhere  not replayed  stale  passes  doubt  accesses  refuted  followed
		{"+ . . . . . . . . . .", Damaged},
		{"- + . . . . . . . . .", Confirmed},
		{"- - . + . . . . . . .", Confirmed},
		{"- - . - + . . . . . .", NotReplayed},
		{"- - + - - . . . . . .", Unconfirmed}, // some replays show it, so it is not fixed
		{"- - - - - . + - + + .", Fixed},       // stale or not: what it names beside the violation may be gone
		{"- - - - - . + - + - +", Fixed},
		{"- - - - - + - . . . .", Stale},
		{"- - - - - + + + . . .", Stale},
		{"- - - - - + + - - . .", Stale},
		{"- - - - - + + - + - -", Stale},
		{"- - - - - - - . . . .", Unconfirmed}, // the test fails
		{"- - - - - - + + . . .", Unconfirmed},
		{"- - - - - - + - - . .", Unconfirmed}, // its accesses are gone, or guessed
		{"- - - - - - + - + - -", Unconfirmed}, // another order may lead there, and its own was not tried
	}
	head := "damaged all some elsewhere notreplayed stale passes doubtful accesses refuted followed"
	checkTable(t, head, rows, func(is func(string) bool) Status {
		e := SavedEvidence{
			Damaged: is("damaged"), NotReplayed: is("notreplayed"), Stale: is("stale"), Elsewhere: is("elsewhere"),
			AccessesFound: is("accesses"), OrdersRefuted: is("refuted"), OrderFollowed: is("followed"), TestPasses: is("passes"), Doubtful: is("doubtful"),
		}
		switch {
		case is("all"):
			e.Replays, e.Reproduced = 3, 3
		case is("some"):
			e.Replays, e.Reproduced = 3, 1
		}
		return e.Status()
	})
}

// Confirmed never stands beside replays of which one has not shown the bug, or beside none at all.
func TestConfirmedByEachReplay(t *testing.T) {
	for replays := range 5 {
		for reproduced := range replays + 1 {
			for _, unproven := range []bool{false, true} {
				e := Evidence{Replays: replays, Reproduced: reproduced, Unproven: unproven, Scheduled: true}
				each := replays > 0 && replays == reproduced && !unproven
				text := fmt.Sprintf("%d of %d, unproven: %v", reproduced, replays, unproven)
				assert.Equal(t, each, e.Status() == Confirmed, text)
				assert.Equal(t, each, SavedEvidence{Evidence: e}.Status() == Confirmed, text)
			}
		}
	}
}

// Nobody else says that a bug is confirmed or fixed. A verdict is of one replay only.
func TestDecidedInOnePlace(t *testing.T) {
	claims := func(x ast.Expr) bool {
		sel, ok := x.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Confirmed" && sel.Sel.Name != "Fixed" {
			return false
		}
		pkg, ok := sel.X.(*ast.Ident)
		return ok && pkg.Name == "bug"
	}
	fset := token.NewFileSet()
	for _, room := range []string{"internal", "replayer", "analysis"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", room), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
				return err
			}
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			ast.Inspect(file, func(n ast.Node) bool {
				var values []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					values = n.Rhs
				case *ast.KeyValueExpr:
					values = []ast.Expr{n.Value}
				}
				for _, x := range values {
					if claims(x) && filepath.ToSlash(name) != "../../replayer/run.go" {
						t.Errorf("%s: a status is set, expected it to be that of evidence", fset.Position(x.Pos()))
					}
				}
				return true
			})
			return err
		}))
	}
}
