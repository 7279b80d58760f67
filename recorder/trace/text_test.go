package trace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The text form of sample. Change it with care: people read it and scripts do.
const sampleText = `gopredict trace 1
meta go="go1.26.8" dir="/src/my bank" binary="bank.test" limit=4096
cut test="TestTransfer"
cut test="TestTransfer" sync
unseen test="TestTransfer" what="length"
tested action="output" test="TestTransfer" output="bank_test.go:9: \x00 §" elapsed=0
tested action="fail" test="TestTransfer" output="" elapsed=1200
text digest=0x1 is="\n §"
text digest=0x1fd6be61fbdea0c is="\"open\""
test name="TestTransfer"
test name="TestTransfer/a#b \"c\""
goroutine id=0 parent=0 site=0x0 test="" path="main"
goroutine id=1 parent=0 site=0x1 test="TestTransfer" path="0"
goroutine id=2 parent=1 site=0x2 test="TestTransfer" path="0.1"
site id=0x1 key=0xb9c904b2b74b164f func="testing.(*T).Run" file="/go/src/testing/testing.go" line=2101
site id=0x2 key=0xe262ba910f91583f func="example.com/bank.TestTransfer" file="bank_test.go" line=12
site id=0x80000007 key=0x80000007 func="example.com/bank.(*Account).Balance" file="bank.go" line=9 col=11 op="read" expr="a.balance" type="int" data tracked
site id=0x80000009 key=0x80000009 func="example.com/bank.(*Account).Deposit" file="bank.go" line=14 col=2 op="write" expr="a[\"x\ty\"].balance // §" update failsfalse stops scope=17 iftrue calls formula="(+ @80000007i8 1)"
0 fork obj=0x1 site=0x1 # main testing.go:2101
1 begin # TestTransfer:0
1 testbegin # TestTransfer:0
1 make obj=0x5 size=3 site=0x2 # TestTransfer:0 bank_test.go:12
1 fork obj=0x2 site=0x2 # TestTransfer:0 bank_test.go:12
1 add obj=0xc000000100 val=1 site=0x2 # TestTransfer:0 bank_test.go:12
2 begin # TestTransfer:0.1
2 acq obj=0xc000000200 site=0x2 # TestTransfer:0.1 bank_test.go:12
freed obj=0xc000000300 size=16 which=0x1
freed obj=0xc000002000 size=8192 which=0x8000000000000005
2 read obj=0xc000000300 size=8 val=100 site=0x80000007 value # TestTransfer:0.1 bank.go:9 a.balance
2 branch val=1 site=0x80000007 # TestTransfer:0.1 bank.go:9 a.balance
held val=18446744073709551611
2 write obj=0xc000000300 size=8 val=18446744073709551615 site=0x80000009 value map # "TestTransfer:0.1 bank.go:14 a[\"x\ty\"].balance // §"
held val=0
2 write obj=0xc000000340 size=16 val=143389399264913932 site=0x80000009 value # "TestTransfer:0.1 bank.go:14 a[\"x\ty\"].balance // §"
2 rel obj=0xc000000200 site=0x2 # TestTransfer:0.1 bank_test.go:12
2 send obj=0x5 size=3 site=0x2 # TestTransfer:0.1 bank_test.go:12
2 sent obj=0x5 size=3 val=1 site=0x2 # TestTransfer:0.1 bank_test.go:12
2 add obj=0xc000000100 val=18446744073709551615 site=0x2 # TestTransfer:0.1 bank_test.go:12
2 end # TestTransfer:0.1
1 select val=2 site=0x2 default # TestTransfer:0 bank_test.go:12
1 selected val=1 site=0x2 # TestTransfer:0 bank_test.go:12
1 recvd obj=0x5 size=3 val=1 site=0x2 # TestTransfer:0 bank_test.go:12
held val=3
1 armw obj=0xc000000400 size=4 val=3 site=0x80000009 failed flags=0x80 # "TestTransfer:0 bank.go:14 a[\"x\ty\"].balance // §"
1 wgwait obj=0xc000000100 site=0x2 # TestTransfer:0 bank_test.go:12
1 wgwaited obj=0xc000000100 site=0x2 # TestTransfer:0 bank_test.go:12
1 testend val=1 # TestTransfer:0
freed obj=0xc000000300 size=16 which=0x3
complete
`

func text(t testing.TB, tr *Trace) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, tr))
	return b.String()
}

func TestText(t *testing.T) {
	assert.Equal(t, sampleText, text(t, sample()))
	got, err := ReadText(strings.NewReader(sampleText))
	require.NoError(t, err)
	assert.Equal(t, sample(), got)
}

// Every kind has its own word, and each word is read back.
func TestTextAllKinds(t *testing.T) {
	tr := sample()
	tr.Events = nil
	for k := None + 1; k < NumKinds; k++ {
		tr.Events = append(tr.Events, Event{Kind: k, Obj: 1, Val: 2, Size: 3})
	}
	got, err := ReadText(strings.NewReader(text(t, tr)))
	require.NoError(t, err)
	assert.Equal(t, tr.Events, got.Events)
	assert.Equal(t, "none", None.String())
	assert.Equal(t, "invalid", NumKinds.String())
}

func TestReadTextErrors(t *testing.T) {
	const head = textMagic + "\ngoroutine id=0 path=\"main\"\n0 panic\n"
	for _, tt := range []struct{ name, in, err string }{
		{"empty", "", `line 1: expected "gopredict trace 1", found ""`},
		{"version", "gopredict trace 2\n", `line 1: expected "gopredict trace 1", found "gopredict trace 2\n"`},
		{"word", head + "events\n", `line 4: expected meta, cut, unseen, tested, text, test, goroutine, site, freed, held, complete, or a goroutine's number, found "events"`},
		{"kind", head + "0 reed obj=1", `line 4: expected an event kind after the goroutine, found "reed"`},
		{"no kind", head + "0", `line 4: expected an event kind after the goroutine, found ""`},
		{"goroutine", head + "1 read", `line 4: expected an event of a defined goroutine, found goroutine 1`},
		{"order", head + "goroutine id=2 path=\"x\"", `line 4: expected goroutine 1, found 2`},
		{"number", head + "0 read obj=zwölf", `line 4: expected a number up to 18446744073709551615 for obj, found "zwölf"`},
		{"range", head + "0 read size=0x100000000", `line 4: expected a number up to 4294967295 for size, found "0x100000000"`},
		{"value", head + "0 read obj= size=8", `line 4: expected a value after "obj", found none`},
		{"quote", head + `site id=1 func="f`, `line 4: expected a value after "func", found a string without its second quote`},
		{"twice", head + "0 read obj=1 obj=2", `line 4: expected nothing but the words of this line, each once, found "obj"`},
		{"unknown", head + "0 read bytes=8", `line 4: expected nothing but the words of this line, each once, found "bytes"`},
		{"long", head + strings.Repeat("x", maxTextLine+1), `line 4: expected a line of at most 1048576 bytes, found a longer one`},
		{"two kinds", head + "0 read write", `line 4: expected nothing but the words of this line, each once, found "write"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadText(strings.NewReader(tt.in))
			require.ErrorContains(t, err, tt.err)
			require.NotNil(t, got)
			if strings.HasPrefix(tt.in, head) {
				assert.Len(t, got.Events, 1)
			}
		})
	}
}

func TestReadTextByHand(t *testing.T) {
	got, err := ReadText(strings.NewReader(textMagic + `

# a comment
goroutine id=0 path="main"   # another
	0 write obj=16 size=8 value val=0x10
complete`))
	require.NoError(t, err)
	assert.Equal(t, []Event{{Kind: Write, Obj: 16, Size: 8, Val: 16, Flags: FlagValue}}, got.Events)
	assert.True(t, got.Complete)
}

// What ReadText accepts survives both forms unchanged.
func FuzzReadText(f *testing.F) {
	f.Add(sampleText)
	f.Add(textMagic + "\n0 read")
	f.Add(textMagic + "\nheld val=1")
	f.Fuzz(func(t *testing.T, in string) {
		got, err := ReadText(strings.NewReader(in))
		require.NotNil(t, got)
		if err != nil {
			var fe *FormatError
			require.ErrorAs(t, err, &fe)
		}
		again, err := ReadText(strings.NewReader(text(t, got)))
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

// A trace from any binary input has the same text form after a round trip.
func FuzzTextRoundTrip(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Fuzz(func(t *testing.T, data []byte) {
		want, _ := Decode(bytes.NewReader(repair(data)))
		got, err := ReadText(strings.NewReader(text(t, want)))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}
