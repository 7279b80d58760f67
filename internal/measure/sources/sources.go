// Package sources has the suites of our own sources: whether tests notice mistakes in them,
// whether the sharing analysis leaves out what may race, which hooks fit other releases of Go,
// which constants tune the rooms,
// and which measured pages are of older sources.
package sources

import (
	"embed"
	"fmt"
	"path/filepath"
	"strings"

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
	{Name: "stale", About: "pages of docs/measured whose rooms have changed since they were measured", Run: stale},
	{Name: "stamp", About: "the line of a page that another command makes: FOLDER... that it measures", Run: stamp},
}

// losses runs the test that looks for accesses that may race and that the sharing analysis leaves
// out, of random programs and of the packages in the folders that are its arguments.
func losses(j *run.Job) bool {
	packages := j.Int("random", 0, "number of packages of random programs")
	seed := j.Uint64("seed", 1, "of the first of them")
	j.Parse()
	var dirs []string
	for _, dir := range j.Args() {
		dirs = append(dirs, run.Must(filepath.Abs(dir)))
	}
	return j.Test("./internal/measure/sources", "^TestLosses$", "-programs=200", fmt.Sprint("-random=", *packages),
		fmt.Sprint("-seed=", *seed), "-packages="+strings.Join(dirs, ","))
}
