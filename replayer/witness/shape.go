package witness

import (
	"go/scanner"
	gotoken "go/token"
	"strings"
	"sync"
)

// shapes caches the results of Shape, which is called for the same expressions and lines many
// times.
var shapes sync.Map // of string to string

// Shape returns the part of an expression that stays when variables are renamed: fields and
// functions. The shape of a.balance is "_.balance", of err "_", of shards[h%n].Get(k)
// "_[_%_].Get(_)".
func Shape(expr string) string {
	if known, ok := shapes.Load(expr); ok {
		return known.(string)
	}
	shape := shapeOf(expr, func(string) bool { return false })
	shapes.Store(expr, shape)
	return shape
}

// shapeOf is [Shape] for code in which some called names are variables too.
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
		case tok == gotoken.SEMICOLON && lit == "\n": // inserted by the scanner
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
