package bugs

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// The page has what was confirmed of each case that was run, and how often.
func TestLeakPage(t *testing.T) {
	cases := readLeaks("\tmicroTests := []testCase{\n\t\tmakeTest(\"One\",\n\t\t\t`One\\.func1\\(.* \\[chan send\\]`,\n\t\t),\n" +
		"\t\tmakeFlakyTest(\"Two\",\n\t\t\t`Two\\.func1\\(.* \\[select\\]`,\n\t\t\t`Two\\.func2\\(.* \\[sync\\.Cond\\.Wait\\]`,\n\t\t),\n\t\tmakeTest(\"Other\"),\n\t}\n" +
		"\tstressTestCases := []testCase{\n\t\tmakeTest(\"DaisyChain\"),\n\t}\n")
	require.Len(t, cases, 3)
	rows := map[string]leakRow{
		"One":       {[][]string{{"One.func1() [send]"}}, 10, 1},
		"etcd/7443": {[][]string{{"f() [send]", "g() [recv]"}, nil}, 20, 1},
		"Two":       {[][]string{{"Two.func1() [select]", "Two.func2() [wait]"}, {"Two.func2() [wait]"}}, 30, 2},
	}
	page := run.Render(pages, "leaks.md", newLeakPage(cases, func(name string) (leakRow, bool) {
		row, ok := rows[name]
		return row, ok
	}))
	assert.Contains(t, page, "\n| One |  | 1 | 1 of 1 | 10 | 1.0 |  |\n| Two | flaky | 2 | 1 of 2 | 30 | 2.0 | Two.func1 [select] (1) |\n")
	assert.Contains(t, page, "1 of 2 cases have all their leaks confirmed, and 2 of 3 leaks")
	assert.Contains(t, page, "\n| etcd/7443 | 1 of 2 | 20 | 1.0 |\n")
	assert.Contains(t, page, "\nNot run: Other, cockroach/9935, grpc/862")
	assert.True(t, cases[2].hasFalseLeak(rows["One"]))
	assert.Regexp(t, regexp.MustCompile(`\|\n$`), page)
}
