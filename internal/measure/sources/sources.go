// Package sources has the suites of our own sources: whether tests notice mistakes in them,
// whether the sharing analysis leaves out what may race, which hooks fit other releases of Go,
// and which constants tune the rooms.
package sources

import (
	"embed"

	"github.com/gopredict/gopredict/internal/measure/run"
)

//go:embed pages
var pages embed.FS

// Suites are those of this package.
var Suites = []run.Suite{
	{Name: "mutants", About: "whether the rooms' own tests notice mistakes; WORDS select some", Run: mutants},
	{Name: "losses", About: "whether the sharing analysis leaves out an access that may race", Run: losses},
	{Name: "releases", About: "which hooks fit other Go releases", Run: releases},
	{Name: "tuning", About: "the constants that tune the rooms", Run: tuning},
}

// losses runs the test that looks for accesses that may race and that the sharing analysis leaves
// out. Its arguments are flags of that test: -random, -seed, -programs and -packages.
func losses(j *run.Job) bool { return j.Test("./internal/measure/sources", "^TestLosses$") }
