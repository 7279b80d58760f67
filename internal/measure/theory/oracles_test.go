package theory

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/internal/measure/run"
)

func TestLogged(t *testing.T) {
	assert.Equal(t, []string{"alone", "one two: 3 of 4", "two: 5"}, logged(`=== RUN   TestA
=== RUN   TestA/two
=== RUN   TestA/one_two
=== NAME  TestA/two
    a_test.go:7: 5
=== NAME  TestA
    a_test.go:9: alone
--- PASS: TestA (0.00s)
    --- PASS: TestA/one_two (0.00s)
        a_test.go:7: 3 of 4
PASS
ok  	example.com/a	0.01s
`))
}

// Each oracle is a test of its room: go test says nothing of a name that none has.
func TestOraclesAreTests(t *testing.T) {
	for _, o := range oracles {
		found := false
		for _, file := range run.Must(os.ReadDir("../../../" + o.room)) {
			if strings.HasSuffix(file.Name(), "_test.go") {
				text := run.ReadFile("../../../" + o.room + "/" + file.Name())
				found = found || regexp.MustCompile(`(?m)^func `+o.test+`\(`).MatchString(text)
			}
		}
		assert.True(t, found, o.command())
	}
}
