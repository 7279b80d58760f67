package witness

import (
	"go/scanner"
	gotoken "go/token"
	"strings"
	"sync"
)

// shapes keeps what Shape has found: it is asked for the same expressions and
// lines again and again.
var shapes sync.Map // of string to string

// Shape returns what stays of an expression when variables are given other
// names: fields and functions. Of a.balance that is "_.balance", of err "_", of
// shards[h%n].Get(k) "_[_%_].Get(_)".
func Shape(expr string) string {
	if known, ok := shapes.Load(expr); ok {
		return known.(string)
	}
	shape := shapeOf(expr, func(string) bool { return false })
	shapes.Store(expr, shape)
	return shape
}

// shapeOf is [Shape], where what is called may be a variable too.
func shapeOf(expr string, variable func(name string) bool) string {
	var s scanner.Scanner
	fset := gotoken.NewFileSet()
	src := []byte(expr)
	s.Init(fset.AddFile("", fset.Base(), len(src)), src, func(gotoken.Position, string) {}, 0)
	var b strings.Builder
	before := gotoken.ILLEGAL
	_, tok, lit := s.Scan()
	for tok != gotoken.EOF {
		_, nextTok, nextLit := s.Scan()
		switch {
		case tok == gotoken.SEMICOLON && lit == "\n": // the scanner's own
		case tok == gotoken.IDENT && before != gotoken.PERIOD && (nextTok != gotoken.LPAREN || variable(lit)):
			b.WriteByte('_')
		case lit != "":
			b.WriteString(lit)
		default:
			b.WriteString(tok.String())
		}
		before, tok, lit = tok, nextTok, nextLit
	}
	return b.String()
}
