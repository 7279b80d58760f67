package trace

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample is a legal trace with sites of both sorts, a renamed goroutine and
// strings that need care in a text form.
func sample() *Trace {
	const load, store = SiteRewritten | 7, SiteRewritten | 9
	return &Trace{
		Meta: Meta{Go: "go1.26.8", Dir: "/src/my bank", Binary: "bank.test", Limit: 4096},
		Goroutines: []Goroutine{
			{ID: 0, Parent: 0, Path: "main"},
			{ID: 1, Parent: 0, Test: "TestTransfer", Path: "0", Site: 1},
			{ID: 2, Parent: 1, Test: "TestTransfer", Path: "0.1", Site: 2},
		},
		Sites: map[SiteID]Site{
			1: {ID: 1, Key: CallSiteKey("testing.(*T).Run", 2101), Func: "testing.(*T).Run", File: "/go/src/testing/testing.go", Line: 2101},
			2: {ID: 2, Key: CallSiteKey("example.com/bank.TestTransfer", 12), Func: "example.com/bank.TestTransfer", File: "bank_test.go", Line: 12},
			load: {ID: load, Key: uint64(load), Func: "example.com/bank.(*Account).Balance", File: "bank.go", Line: 9, Col: 11,
				Op: "read", Expr: "a.balance", Type: TypeInt, OnlyStored: true, OnlyInFormulas: true},
			store: {ID: store, Key: uint64(store), Func: "example.com/bank.(*Account).Deposit", File: "bank.go", Line: 14, Col: 2,
				Op: "write", Expr: "a[\"x\ty\"].balance // §", IsUpdate: true, Formula: "(+ @80000007i8 1)", FailsIf: IfFalse, FailureEndsGoroutine: true, Scope: Scope{17, true, false, true}},
		},
		TestNames:    []string{"TestTransfer", "TestTransfer/a#b \"c\""},
		Cuts:         []Cut{{Test: "TestTransfer"}, {Test: "TestTransfer", LacksSync: true}},
		HiddenInputs: []HiddenInput{{"TestTransfer", "length"}},
		TestEvents:   []TestEvent{{Action: "output", Test: "TestTransfer", Output: "bank_test.go:9: \x00 §"}, {Action: "fail", Test: "TestTransfer", Elapsed: 1200}},
		Events: []Event{
			{Kind: Fork, G: 0, Site: 1, Obj: 1},
			{Kind: Begin, G: 1},
			{Kind: TestBegin, G: 1, Obj: 0},
			{Kind: ChanMake, G: 1, Site: 2, Obj: 5, Size: 3},
			{Kind: Fork, G: 1, Site: 2, Obj: 2},
			{Kind: WaitGroupAdd, G: 1, Site: 2, Obj: 0xc000000100, Val: 1},
			{Kind: Begin, G: 2},
			{Kind: Acquire, G: 2, Site: 2, Obj: 0xc000000200},
			{Kind: Read, G: 2, Site: load, Flags: FlagValue, Obj: 0xc000000300, Size: 8, Val: 100},
			{Kind: Branch, G: 2, Site: load, Val: 1},
			{Kind: Write, G: 2, Site: store, Flags: FlagValue | FlagMap, Obj: 0xc000000300, Size: 8, Val: 1<<64 - 1},
			{Kind: Write, G: 2, Site: store, Flags: FlagValue, Obj: 0xc000000340, Size: 16, Val: Digest("open")},
			{Kind: Release, G: 2, Site: 2, Obj: 0xc000000200},
			{Kind: Send, G: 2, Site: 2, Obj: 5, Size: 3},
			{Kind: SendDone, G: 2, Site: 2, Obj: 5, Size: 3, Val: 1},
			{Kind: WaitGroupAdd, G: 2, Site: 2, Obj: 0xc000000100, Val: 1<<64 - 1},
			{Kind: End, G: 2},
			{Kind: Select, G: 1, Site: 2, Flags: FlagDefault, Val: 2},
			{Kind: SelectDone, G: 1, Site: 2, Val: 1},
			{Kind: RecvDone, G: 1, Site: 2, Obj: 5, Size: 3, Val: 1},
			{Kind: AtomicRMW, G: 1, Site: store, Flags: FlagFailed | 1<<7, Obj: 0xc000000400, Size: 4, Val: 3},
			{Kind: WaitGroupWait, G: 1, Site: 2, Obj: 0xc000000100},
			{Kind: WaitGroupWaited, G: 1, Site: 2, Obj: 0xc000000100},
			{Kind: TestEnd, G: 1, Obj: 0, Val: 1},
		},
		Freed:       []FreedObjects{{Position: 8, FirstAddr: 0xc000000300, Size: 16, Mask: 1}, {Position: 8, FirstAddr: 0xc000002000, Size: 8192, Mask: 1<<63 | 5}, {Position: 24, FirstAddr: 0xc000000300, Size: 16, Mask: 3}},
		PriorValues: []PriorValue{{Position: 10, Val: 1<<64 - 5}, {Position: 11}, {Position: 20, Val: 3}},
		ValueTexts:  map[uint64]string{Digest("open"): "\"open\"", 1: "\n §"},
		Complete:    true,
	}
}

func encode(t testing.TB, tr *Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Encode(&b, tr))
	return b.Bytes()
}
