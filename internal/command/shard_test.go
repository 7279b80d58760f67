package command

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/report"
)

func TestShardOfRunner(t *testing.T) {
	for _, tt := range []struct {
		value string
		env   map[string]string
		want  string // or what the error says
	}{
		{"2/3", nil, "2/3"},
		{"auto", map[string]string{"TEST_SHARD_INDEX": "0", "TEST_TOTAL_SHARDS": "4"}, "1/4"},
		{"auto/5", map[string]string{"JOB_COMPLETION_INDEX": "4"}, "5/5"},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "4"}, "expected auto/N, as this runner does not say how many shards there are"},
		{"auto", map[string]string{"CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "2"}, "2/2"},
		{"auto", map[string]string{"BUILDKITE_PARALLEL_JOB": "1", "BUILDKITE_PARALLEL_JOB_COUNT": "2"}, "2/2"},
		{"auto", map[string]string{"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"}, "2/2"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "11", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "4"}, "2/4"},
		{"auto", nil, "no variable of a runner says which shard this is"},
		{"0/3", nil, "expected I/N with I from 1 to N, found 0/3"},
		{"x", nil, "expected I/N with I from 1 to N, found x/"},
	} {
		t.Run(tt.value+" "+tt.want, func(t *testing.T) {
			for _, r := range ciRunners {
				for _, name := range []string{r.index, r.of} {
					if name == "" {
						continue
					}
					value, ok := tt.env[name]
					if t.Setenv(name, value); !ok {
						os.Unsetenv(name)
					}
				}
			}
			t.Setenv("SLURM_ARRAY_TASK_MIN", tt.env["SLURM_ARRAY_TASK_MIN"])
			s, err := parseShard(tt.value)
			if err != nil {
				assert.EqualError(t, err, tt.want)
				return
			}
			assert.Equal(t, tt.want, s.String())
		})
	}
}

// Each package is in one shard, and none has much more to do than another.
func TestShare(t *testing.T) {
	packages := []string{"a", "b", "c", "d", "e"}
	took := map[string]float64{"b": 20, "e": 9, "a": 8}
	var all []string
	for k, want := range [][]string{{"b"}, {"e"}, {"a", "c", "d"}} {
		its := packagesFor(append([]string(nil), packages...), took, report.Shard{Index: k + 1, Count: 3})
		if k == 0 {
			assert.Equal(t, want, its)
		}
		all = append(all, its...)
	}
	require.ElementsMatch(t, packages, all)
}
