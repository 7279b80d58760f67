package recorder

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/gotool"
)

// How many packages go test deals with at once is said by its flag, or else by GOFLAGS.
func TestBeside(t *testing.T) {
	c := new(Config)
	assert.Zero(t, c.PackageParallelism())
	c.Env.GOFLAGS = "-v -p=3"
	assert.Equal(t, 3, c.PackageParallelism())
	c.Args.Flags = []gotool.Flag{{Name: "p", Value: "1", HasValue: true}}
	assert.Equal(t, 1, c.PackageParallelism())
	for _, wrong := range []string{"many", "-1"} {
		c.Args.Flags[0].Value = wrong
		assert.Zero(t, c.PackageParallelism())
	}
}
