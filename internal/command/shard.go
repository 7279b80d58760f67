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

// This file has the part of a run that is one machine's. Packages go to shards by what they
// took in an earlier run, each machine by itself and all of them in the same way.

// runners are the variables that say which of how many machines this one is. base is the
// number of the first one. Where of is empty nothing says how many there are.
var runners = []struct {
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

// parseShard reads I/N, or "auto" and "auto/N", which the variables of runners answer.
func parseShard(v string) (*report.Shard, error) {
	index, of, _ := strings.Cut(v, "/")
	base := 1
	if index == "auto" {
		found := false
		for _, r := range runners {
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
	return &report.Shard{Index: i, Of: n}, nil
}

// packagesOfShard returns the packages of the run's arguments that are of its shard, by what
// they took in the run of which the timings are the report; without that, equally many each.
// It tells a runner that asks that shards are understood.
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
	return share(strings.Fields(string(out)), took, *t.options.shard), nil
}

// share returns those packages that are of a shard: the ones that take longest first, each
// goes to the shard that has the least to do.
func share(packages []string, took map[string]float64, shard report.Shard) []string {
	slices.Sort(packages)
	slices.SortStableFunc(packages, func(a, b string) int { return cmp.Compare(took[b], took[a]) })
	load := make([]float64, shard.Of)
	var its []string
	for _, p := range packages {
		least := slices.Index(load, slices.Min(load))
		load[least] += took[p] + secondsToBuild
		if least == shard.Index-1 {
			its = append(its, p)
		}
	}
	slices.Sort(its)
	return its
}
