package recorder

import (
	"context"
	"fmt"

	"github.com/gopredict/gopredict/recorder/properties"
)

// Properties returns the properties that the tests of the packages of c declare, without
// preparing anything for them to be recorded.
func Properties(ctx context.Context, c *Config) ([]properties.Declaration, error) {
	patterns := c.Args.Packages
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	roots, err := c.packages(ctx, "", true, patterns)
	if err != nil {
		return nil, err
	}
	for _, p := range roots {
		if isBroken(p) && !isTestMain(p) {
			return nil, &UsageError{fmt.Sprintf("%s: %s", testedPath(p), brokenReason(p))}
		}
	}
	return properties.Read(roots)
}
