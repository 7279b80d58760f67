// Package stringslite stands in for internal/stringslite.
package stringslite

import "strings"

func Cut(s, sep string) (before, after string, found bool) { return strings.Cut(s, sep) }
func HasPrefix(s, prefix string) bool                      { return strings.HasPrefix(s, prefix) }
func Index(s, substr string) int                           { return strings.Index(s, substr) }
func IndexByte(s string, c byte) int                       { return strings.IndexByte(s, c) }
