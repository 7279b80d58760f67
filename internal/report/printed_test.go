package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Of packages that failed it is kept what they have printed, however it comes in parts; of a
// program that has died JUnit's case of the test has why.
func TestPrinted(t *testing.T) {
	text := "fine\nok  \ta\t0.1s\n?   \tb\t[no test files]\nhello\npanic: no [recovered]\n\ngoroutine 1:\nFAIL\tc\t0.1s\n" +
		"FAIL\td [build failed]\n" + strings.Repeat("x", 5000) + "\n" + strings.Repeat("line\n", 900) + "FAIL\te\t0.1s\nFAIL\n"
	var r Report
	for _, pkg := range []string{"a", "c", "e"} {
		r.Packages = append(r.Packages, Package{Package: pkg, Result: "fail"})
	}
	r.Packages[0].Result = "pass"
	r.Packages[1].Cases = []TestCase{{Test: "TestDies", Failed: true, Output: []string{NoEndText}}}
	for _, size := range []int{1, 7, len(text)} {
		var p FailedOutput
		for from := 0; from < len(text); from += size {
			n, err := fmt.Fprint(&p, text[from:min(from+size, len(text))])
			assert.NoError(t, err)
			assert.Equal(t, min(size, len(text)-from), n)
		}
		p.AddTo(&r)
		assert.Nil(t, r.Packages[0].Output)
		assert.Equal(t, []string{"hello", "panic: no [recovered]", "", "goroutine 1:"}, r.Packages[1].Output)
		assert.Len(t, r.Packages[2].Output, maxOutputLines)
	}
	xml := written(t, WriteJUnit, &r)
	assert.Contains(t, xml, "<![CDATA[--- FAIL: TestDies (0.00s)\n    "+NoEndText+"\n    panic: no [recovered]\n    \n    goroutine 1:\n]]>")
	assert.Contains(t, xml, "<system-out><![CDATA[hello\npanic: no [recovered]\n\ngoroutine 1:]]></system-out>")
}
