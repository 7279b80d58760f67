package dataflow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/recorder/trace"
)

// A Formula says how a value follows from what its goroutine has read before: it
// is an expression over integers, in which false is 0, true 1 and nil 0. Its
// text, see [Site.Formula], is one of
//
//	12              a number
//	_               what the memory held before, in an atomic read-modify-write
//	@80000012i8     what was read at the site with that key (hexadecimal), as a
//	                signed (i) or unsigned (u) number of so many bytes, or the
//	                digest of a value of more than 8 bytes: by the goroutine's
//	                last event there that reads, or is an operand
//	@80000012i8^1   the same by the one before the last, and so on
//	(OP F …)        an operation
//	$80000012.1     what was handed over last to the function that the site
//	                with that key is the beginning of, or by the call that it is
//	                of: its argument, or result, of that number
//	?               what is not known
//
// The operations and their numbers of operands: + (any), - (2), * (2), =, < and
// <= (2), not (1), and, or (any, from left to right, as far as needed), if (3). The operation hand (any)
// stands in the formulas of the sites at which values are handed over, alone, and has
// one operand for each; see [Flow].
// Numbers have no bounds; what a store keeps of them, or an operation of the
// program has wrapped around, is for who compares them with recorded values.
type Formula struct {
	Op       Op
	Constant int64     // of Number
	Read     Reading   // of Value
	Args     []Formula // of all others
}

// A Reading refers to an event of a goroutine that read a value.
type Reading struct {
	Key    uint64 // of the site: [Site.Key]
	Signed bool
	Size   uint8 // bytes: 1, 2, 4 or 8; more where the number is a digest
	Back   uint8 // how many later events of the goroutine at the site to skip
}

// An Op is the operation of a formula.
type Op uint8

// The operations.
const (
	Number Op = iota
	Before    // _
	Value     // @
	Plus
	Minus
	Times
	Equal
	Less
	LessEqual
	Not
	And
	Or
	If
	Handed  // $; Read has the key, and in Back the number
	Unknown // ?
	Hand
)

var ops = map[string]Op{
	"+": Plus, "-": Minus, "*": Times, "=": Equal, "<": Less, "<=": LessEqual,
	"not": Not, "and": And, "or": Or, "if": If, "hand": Hand,
}

// operands returns the least and the largest number of operands of o.
func (o Op) operands() (least, most int) {
	switch o {
	case Plus, And, Or, Hand:
		return 1, maxOperands
	case Not:
		return 1, 1
	case If:
		return 3, 3
	}
	return 2, 2
}

const (
	maxOperands = 64
	maxDepth    = 32 // of operations in operations
	maxBack     = 100
)

// ParseFormula reads the text of a formula.
func ParseFormula(text string) (Formula, error) {
	p := formulaParser{words: formulaWords(text)}
	f, err := p.formula(0)
	if err == nil && p.at < len(p.words) {
		err = fmt.Errorf("expected the formula's end, found %.20q", p.words[p.at])
	}
	if err != nil {
		return Formula{}, fmt.Errorf("formula %.80q: %w", text, err)
	}
	return f, nil
}

// formulaWords splits a formula's text into parentheses and words.
func formulaWords(text string) []string { return strings.Fields(spaced.Replace(text)) }

var spaced = strings.NewReplacer("(", " ( ", ")", " ) ")

type formulaParser struct {
	words []string
	at    int
}

func (p *formulaParser) next() string {
	if p.at == len(p.words) {
		return ""
	}
	p.at++
	return p.words[p.at-1]
}

func (p *formulaParser) formula(depth int) (Formula, error) {
	w := p.next()
	switch {
	case w == "":
		return Formula{}, fmt.Errorf("expected a formula, found the end")
	case depth > maxDepth:
		return Formula{}, fmt.Errorf("expected at most %d operations in each other, found more", maxDepth)
	case w == "_":
		return Formula{Op: Before}, nil
	case w == "?":
		return Formula{Op: Unknown}, nil
	case w[0] == '$':
		r, err := parseHanded(w)
		return Formula{Op: Handed, Read: r}, err
	case w[0] == '@':
		r, err := parseReading(w)
		return Formula{Op: Value, Read: r}, err
	case w == "(":
		return p.operation(depth)
	}
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		return Formula{}, fmt.Errorf("expected a number, _, ?, @, $ or (, found %.20q", w)
	}
	return Formula{Op: Number, Constant: n}, nil
}

// operation parses an operation after its opening parenthesis.
func (p *formulaParser) operation(depth int) (Formula, error) {
	w := p.next()
	op, ok := ops[w]
	if !ok {
		return Formula{}, fmt.Errorf("expected an operation after (, found %.20q", w)
	}
	f := Formula{Op: op}
	least, most := op.operands()
	for p.at < len(p.words) && p.words[p.at] != ")" && len(f.Args) <= most {
		arg, err := p.formula(depth + 1)
		if err != nil {
			return Formula{}, err
		}
		f.Args = append(f.Args, arg)
	}
	if n := len(f.Args); n < least || n > most {
		return Formula{}, fmt.Errorf("expected %d to %d operands of %s, found %d", least, most, w, n)
	}
	if end := p.next(); end != ")" {
		return Formula{}, fmt.Errorf("expected ) after the operands of %s, found %.20q", w, end)
	}
	return f, nil
}

func parseHanded(w string) (Reading, error) {
	key, number, _ := strings.Cut(w[1:], ".")
	k, err1 := strconv.ParseUint(key, 16, 64)
	n, err2 := strconv.ParseUint(number, 10, 8)
	if err1 != nil || err2 != nil || n >= maxOperands {
		return Reading{}, fmt.Errorf("expected $KEY.0 or the like, found %.40q", w)
	}
	return Reading{Key: k, Back: uint8(n)}, nil
}

func parseReading(w string) (Reading, error) {
	bad := fmt.Errorf("expected @KEYi8 or the like, found %.40q", w)
	place, back, some := strings.Cut(w[1:], "^")
	at := strings.IndexAny(place, "iu")
	if at < 0 {
		return Reading{}, bad
	}
	key, err1 := strconv.ParseUint(place[:at], 16, 64)
	size, err2 := strconv.ParseUint(place[at+1:], 10, 8)
	r := Reading{Key: key, Signed: place[at] == 'i', Size: uint8(size)}
	if some {
		n, err := strconv.ParseUint(back, 10, 8)
		if err != nil || n > maxBack {
			return Reading{}, bad
		}
		r.Back = uint8(n)
	}
	if err1 != nil || err2 != nil || !slices.Contains([]uint64{1, 2, 4, 8}, size) && !trace.HasDigest(uint32(size)) {
		return Reading{}, bad
	}
	return r, nil
}

// String returns the formula's text.
func (f Formula) String() string {
	switch f.Op {
	case Number:
		return strconv.FormatInt(f.Constant, 10)
	case Before:
		return "_"
	case Value:
		return f.Read.String()
	case Handed:
		return fmt.Sprintf("$%x.%d", f.Read.Key, f.Read.Back)
	case Unknown:
		return "?"
	}
	var b strings.Builder
	b.WriteByte('(')
	for w, op := range ops {
		if op == f.Op {
			b.WriteString(w)
		}
	}
	for _, arg := range f.Args {
		b.WriteByte(' ')
		b.WriteString(arg.String())
	}
	b.WriteByte(')')
	return b.String()
}

func (r Reading) String() string {
	sign := "u"
	if r.Signed {
		sign = "i"
	}
	text := fmt.Sprintf("@%x%s%d", r.Key, sign, r.Size)
	if r.Back > 0 {
		text += fmt.Sprintf("^%d", r.Back)
	}
	return text
}

// Number returns the number that the lower bytes of val represent, with the size and sign of r.
func (r Reading) Number(val uint64) int64 {
	shift := 64 - 8*min(uint(r.Size), 8)
	if r.Signed {
		return int64(val<<shift) >> shift
	}
	return int64(val << shift >> shift)
}
