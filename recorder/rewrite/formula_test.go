package rewrite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/gopredict/gopredict/recorder/trace"
	"github.com/gopredict/gopredict/recorder/trace/dataflow"
)

var keyInFormula = regexp.MustCompile(`@([0-9a-f]+)[iu][0-9]+|\$[0-9a-f]+`)

// facts of a site, as the comments in testdata/formulas show them.
func formulaWords(s trace.Site, byKey map[uint64]trace.Site) []string {
	name := func(s trace.Site) string {
		if s.ID == 0 {
			return fmt.Sprintf("line %d", s.Line)
		}
		return s.Expr
	}
	op := s.Op
	var words []string
	if s.OnlyInFormulas {
		words = append(words, "*"+strings.TrimPrefix(op+" "+name(s), " "))
	}
	if s.Op == "operand" {
		words = append(words, "operand "+s.Expr)
	}
	if s.Formula != "" {
		text := keyInFormula.ReplaceAllStringFunc(s.Formula, func(key string) string {
			if key[0] == '$' {
				key += ".0"
			}
			f, err := dataflow.ParseFormula(key)
			if err != nil {
				return err.Error()
			}
			return name(byKey[f.Read.Key])
		})
		for _, known := range []string{"open", "none"} {
			text = strings.ReplaceAll(text, strconv.FormatUint(trace.Digest(known), 10), strconv.Quote(known))
		}
		text = strings.TrimPrefix(op+" "+name(s), " ") + " = " + text
		switch {
		case s.FailsIf == trace.IfTrue:
			text += ", fails if true"
		case s.FailsIf == trace.IfFalse && op != "assert":
			text += ", fails if false"
		}
		words = append(words, text)
	}
	return words
}

func TestFormulas(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/formulas/formulas.txtar")
	require.NoError(t, err)
	m := newModule(t, archive)
	m.all = false
	m.instrument(t)
	build := exec.Command("go", "test", "-c", "-o", os.DevNull, "-overlay="+m.overlay, ".")
	build.Dir = m.dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	byKey := map[uint64]trace.Site{}
	for _, s := range m.result.Sites {
		byKey[s.Key] = s
	}
	type at struct {
		file string
		line int
	}
	got := map[at][]string{}
	for _, s := range m.result.Sites {
		if words := formulaWords(s, byKey); len(words) > 0 {
			got[at{s.File, s.Line}] = append(got[at{s.File, s.Line}], words...)
		}
	}
	for _, name := range []string{"account.go", "account_test.go"} {
		file := filepath.Join(m.dir, name)
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, line := range strings.Split(string(src), "\n") {
			_, comment, _ := strings.Cut(line, " // ")
			var want []string
			for _, w := range strings.Split(comment, "; ") {
				if strings.ContainsAny(w, "*=") || strings.HasPrefix(w, "operand") {
					want = append(want, w)
				}
			}
			words := got[at{file, i + 1}]
			slices.Sort(want)
			slices.Sort(words)
			assert.Equal(t, want, words, "%s:%d: %s", name, i+1, line)
		}
	}
}
