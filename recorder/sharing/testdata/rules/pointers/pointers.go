// Package pointers has the rules about package unsafe.
package pointers
