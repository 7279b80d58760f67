// Package suites tests the whole command as a user would: it builds gopredict
// once and runs it on copies of the subjects under testdata. It has no code
// beside its tests.
package suites
