package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/internal/report"
)

// This file chooses the packages of one shard. Each machine does so by itself, from the times of an
// earlier run, and all come to the same result.

// ciRunners are the variables of CI systems for the index of a machine and their number. base is the
// index of the first one. If of is empty the system does not say how many there are.
var ciRunners = []struct {
	index, of string
	base      int
}{
	{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0},                  // Bazel
	{"JOB_COMPLETION_INDEX", "", 0},                               // Kubernetes, Indexed Jobs
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},                 // CircleCI
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0}, // Buildkite
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", 1},                         // GitLab
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", 0},          // Slurm: from SLURM_ARRAY_TASK_MIN
}

// parseShard parses I/N, or "auto" and "auto/N", for which it asks the variables of runners.
func parseShard(v string) (*report.Shard, error) {
	index, of, _ := strings.Cut(v, "/")
	base := 1
	if index == "auto" {
		found := false
		for _, r := range ciRunners {
			if index, found = os.LookupEnv(r.index); found {
				of, base = cmp.Or(of, os.Getenv(r.of)), r.base
				if r.index == "SLURM_ARRAY_TASK_ID" {
					base, _ = strconv.Atoi(os.Getenv("SLURM_ARRAY_TASK_MIN"))
				}
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("no variable of a runner says which shard this is")
		}
		if of == "" {
			return nil, fmt.Errorf("expected auto/N, as this runner does not say how many shards there are")
		}
	}
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if i -= base - 1; err1 != nil || err2 != nil || i < 1 || i > n {
		return nil, fmt.Errorf("expected I/N with I from 1 to N, found %s/%s", index, of)
	}
	return &report.Shard{Index: i, Count: n}, nil
}

// packagesOfShard returns the packages of the run's shard, balanced by the times of an earlier run, or
// else by their number. It creates the file by which Bazel learns that sharding is supported.
func (t *testRun) packagesOfShard(ctx context.Context) ([]string, error) {
	if name := os.Getenv("TEST_SHARD_STATUS_FILE"); name != "" {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			return nil, fmt.Errorf("TEST_SHARD_STATUS_FILE: %w", err)
		}
	}
	out, err := gotool.Output(ctx, t.dir, slices.Concat([]string{"list"}, t.args.LoadFlags(), []string{"--"}, t.args.Packages)...)
	if err != nil {
		return nil, err
	}
	took := make(map[string]float64)
	if t.options.timings != nil {
		for _, p := range t.options.timings.Packages {
			took[p.Package] = p.RecordS + p.ReplayS
		}
	}
	return packagesFor(strings.Fields(string(out)), took, *t.options.shard), nil
}

// packagesFor returns the packages of a shard. It assigns packages to shards, those that take longest first,
// each to the shard that has the least to do.
func packagesFor(packages []string, took map[string]float64, shard report.Shard) []string {
	slices.Sort(packages)
	slices.SortStableFunc(packages, func(a, b string) int { return cmp.Compare(took[b], took[a]) })
	load := make([]float64, shard.Count)
	var chosen []string
	for _, p := range packages {
		least := slices.Index(load, slices.Min(load))
		load[least] += took[p] + secondsToBuild
		if least == shard.Index-1 {
			chosen = append(chosen, p)
		}
	}
	slices.Sort(chosen)
	return chosen
}
