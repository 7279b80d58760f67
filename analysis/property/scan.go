package property

import (
	"fmt"
	"slices"
	"strings"
)

// A token is a name, or an operator.
type token struct {
	text   string // "" at the end
	offset int
	name   bool
}

func (t token) String() string {
	if t.text == "" {
		return "the end"
	}
	return t.text
}

// operators are all that the languages have, the longer ones first.
var operators = []string{"->", "&&", "||", "(", ")", "*", "+", "?", "~", "&", "|", "!", ":", ";", ","}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isName reports whether text can name an event or a state.
func isName(text string) bool {
	for k := range len(text) {
		if !isLetter(text[k]) && (k == 0 || !isDigit(text[k])) {
			return false
		}
	}
	return text != ""
}

// scan splits text into tokens; the last one is the end.
func scan(text string) ([]token, error) {
	var toks []token
	for at := 0; at < len(text); {
		rest := text[at:]
		if strings.IndexByte(" \t\r\n", rest[0]) >= 0 {
			at++
			continue
		}
		n := 0
		for n < len(rest) && (isLetter(rest[n]) || n > 0 && isDigit(rest[n])) {
			n++
		}
		name := n > 0
		if !name {
			k := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(rest, op) })
			if k < 0 {
				return nil, errorf(at, "expected a name or an operator, found %.1q", rest)
			}
			n = len(operators[k])
		}
		toks = append(toks, token{rest[:n], at, name})
		at += n
	}
	return append(toks, token{offset: len(text)}), nil
}

// maxDepth bounds how deep expressions are nested.
const maxDepth = 500

// A parser reads the tokens of one specification.
type parser struct {
	toks   []token
	events []string
	depth  int
}

func (p *parser) peek() token { return p.toks[0] }

func (p *parser) take() token {
	t := p.toks[0]
	if t.text != "" {
		p.toks = p.toks[1:]
	}
	return t
}

// accept takes the next token if it is the given one.
func (p *parser) accept(text string) bool {
	if p.peek().text != text {
		return false
	}
	p.take()
	return true
}

func (p *parser) expect(text string) error {
	if t := p.peek(); !p.accept(text) {
		return errorf(t.offset, "expected %s, found %v", text, t)
	}
	return nil
}

// end expects that all was read.
func (p *parser) end() error {
	if t := p.peek(); t.text != "" {
		return errorf(t.offset, "expected the end, found %v", t)
	}
	return nil
}

// event returns the index of the event that a token names.
func (p *parser) event(t token) (int, error) {
	k := slices.Index(p.events, t.text)
	if k < 0 || !t.name {
		return 0, errorf(t.offset, "expected %s, found %v", p.known(), t)
	}
	return k, nil
}

// known lists the names of the events.
func (p *parser) known() string {
	return fmt.Sprintf("an event (%s)", strings.Join(p.events, ", "))
}

// nested reads a part that is nested one deeper.
func nested[T any](p *parser, read func() (T, error)) (T, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		var none T
		return none, errorf(p.peek().offset, "expected parts nested at most %d deep, found more", maxDepth)
	}
	return read()
}
