package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/bug"
	"github.com/gopredict/gopredict/internal/golden"
	"github.com/gopredict/gopredict/internal/untrusted"
)

// A schemaNode checks a value against the part of JSON Schema that
// report.schema.json uses. A keyword that it does not know is an error, so
// that nothing in the schema goes unchecked.
type schemaNode map[string]any

// check returns what is wrong with v, each with its place.
func (s schemaNode) check(root schemaNode, at string, v any) []string {
	var bad []string
	fail := func(format string, args ...any) { bad = append(bad, at+": "+fmt.Sprintf(format, args...)) }
	for _, key := range keys(s) {
		arg := s[key]
		switch key {
		case "$schema", "title", "description", "$defs":
		case "$ref":
			name := strings.TrimPrefix(arg.(string), "#/$defs/")
			def := root["$defs"].(map[string]any)[name].(map[string]any)
			bad = append(bad, schemaNode(def).check(root, at, v)...)
		case "type":
			if got := typeOf(v); got != arg && !(arg == "number" && got == "integer") {
				fail("is %s, expected %s", got, arg)
			}
		case "const":
			if !reflect.DeepEqual(v, arg) {
				fail("is %v, expected %v", v, arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), v) {
				fail("is %v, expected one of %v", v, arg)
			}
		case "pattern":
			if s, ok := v.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(s) {
				fail("is %q, expected to match %s", s, arg)
			}
		case "minimum":
			if n, ok := v.(float64); ok && n < arg.(float64) {
				fail("is %v, expected at least %v", n, arg)
			}
		case "required":
			obj, _ := v.(map[string]any)
			for _, name := range arg.([]any) {
				if _, ok := obj[name.(string)]; !ok {
					fail("has no %s", name)
				}
			}
		case "properties":
			obj, _ := v.(map[string]any)
			for _, name := range keys(obj) {
				prop, ok := arg.(map[string]any)[name].(map[string]any)
				if !ok { // stricter than JSON Schema: what we write is described
					fail("has the undescribed field %s", name)
					continue
				}
				bad = append(bad, schemaNode(prop).check(root, at+"."+name, obj[name])...)
			}
		case "items":
			list, _ := v.([]any)
			for i, e := range list {
				bad = append(bad, schemaNode(arg.(map[string]any)).check(root, fmt.Sprintf("%s[%d]", at, i), e)...)
			}
		default:
			fail("the schema uses %s, which this test does not know", key)
		}
	}
	return bad
}

func keys[M ~map[string]any](m M) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// validate returns what is wrong with a JSON document.
func validate(t *testing.T, doc []byte) []string {
	t.Helper()
	var schema schemaNode
	require.NoError(t, json.Unmarshal(JSONSchema, &schema))
	var v any
	require.NoError(t, json.Unmarshal(doc, &v))
	return schema.check(schema, "report", v)
}

func encode(t *testing.T, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, r))
	return b.Bytes()
}

func TestJSON(t *testing.T) {
	doc := encode(t, sample(t))
	assert.Empty(t, validate(t, doc))
	golden.Equal(t, "bank.json", string(doc))
	assert.Empty(t, validate(t, encode(t, &Report{Go: "go1.26.8"})), "a report of nothing")
}

func TestJSONHasNoNullLists(t *testing.T) {
	doc := encode(t, &Report{Packages: []Package{{}}, Findings: []Finding{{}}})
	assert.NotContains(t, string(doc), "null")
}

func TestJSONReadsBack(t *testing.T) {
	want := sample(t)
	var got Report
	require.NoError(t, json.Unmarshal(encode(t, want), &got))
	want.Schema = Schema
	want.Packages[0].Skipped = []string{}
	for i := range want.Findings {
		if want.Findings[i].Accesses == nil {
			want.Findings[i].Accesses = []Access{}
		}
	}
	assert.Equal(t, *want, got)
}

// The validator itself has to see what is wrong.
func TestSchemaRefuses(t *testing.T) {
	good := string(encode(t, sample(t)))
	for _, c := range []struct{ old, new, want string }{
		{`"gopredict.report/v1"`, `"gopredict.report/v2"`, "report.schema: is gopredict.report/v2"},
		{`"kind": "race"`, `"kind": "rice"`, "report.findings[0].kind: is rice, expected one of"},
		{`"tests": 3`, `"tests": "3"`, "report.packages[0].tests: is string, expected integer"},
		{`"tests": 3`, `"tests": -3`, "report.packages[0].tests: is -3, expected at least 0"},
		{`"candidates": 9,`, ``, "report.totals: has no candidates"},
		{`"id": "race-`, `"id": "race `, "report.findings[0].id: is"},
		{`"replays": 3`, `"replayed": 3`, "report.findings[0]: has the undescribed field replayed"},
	} {
		require.Contains(t, good, c.old)
		bad := validate(t, []byte(strings.Replace(good, c.old, c.new, 1)))
		assert.Contains(t, strings.Join(bad, "\n"), c.want)
	}
}

func TestSortIsStableOrder(t *testing.T) {
	r := &Report{Findings: []Finding{
		{ID: "3", Status: bug.Infeasible}, {ID: "2", Status: bug.Confirmed, Package: "b"}, {ID: "1", Status: bug.Unconfirmed},
		{ID: "5", Status: bug.Confirmed, Package: "a", Test: "TestB"}, {ID: "4", Status: bug.Confirmed, Package: "a", Test: "TestB"}, {ID: "9", Status: bug.Confirmed, Package: "a", Test: "TestA"},
	}}
	r.Sort()
	var ids []string
	for _, f := range r.Findings {
		ids = append(ids, f.ID)
	}
	assert.Equal(t, []string{"9", "4", "5", "2", "1", "3"}, ids)
}

// The schema names the kinds, statuses and effects that there are.
func TestSchemaWords(t *testing.T) {
	var root struct {
		Defs map[string]struct {
			Properties map[string]struct{ Enum []string }
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(JSONSchema, &root))
	finding := root.Defs["finding"].Properties
	assert.ElementsMatch(t, bug.KindNames(bug.Kinds()), finding["kind"].Enum)
	assert.ElementsMatch(t, []string{"confirmed", "unconfirmed", "infeasible"}, finding["status"].Enum)
	for _, effect := range finding["effect"].Enum {
		assert.True(t, effect == "" || bug.Effect(effect) == bug.NoEffect || bug.Effect(effect).Severity() > 0, effect)
	}
}

// What is written can be read, and is the same then.
func TestReadJSON(t *testing.T) {
	var b, again bytes.Buffer
	require.NoError(t, WriteJSON(&b, sample(t)))
	r, err := ReadJSON("r.json", bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	require.NoError(t, WriteJSON(&again, r))
	assert.Equal(t, b.String(), again.String())
}

// A file that is no report gets an error with its place.
func TestReadBadJSON(t *testing.T) {
	const good = `{"schema": "gopredict.report/v1", "findings": [{"id": "race-1", "accesses": [{}], "interleaving": [{}]`
	for text, want := range map[string]string{
		"":                           "r.json:1: expected a report that -predict.json has written: unexpected end of JSON input",
		"{\n  \"schema\": 7}":        "r.json:2: expected a report that -predict.json has written: json: cannot unmarshal number",
		`{"schema": "other"}`:        `r.json: found the schema "other", expected "gopredict.report/v1", as -predict.json writes it`,
		good + `}, {}]}`:             `r.json: findings[1]: no id`,
		good + `, "first": 1}]}`:     `r.json: findings[0]: first is 1, of 1 accesses`,
		good + `, "left_out": -1}]}`: `r.json: findings[0]: left_out is -1`,
		good + `, "edges": [{}, {"from": 0, "to": 1}]}]}`: `r.json: findings[0]: edges[1] is from 0 to 1, of 1 steps`,
		good + `, "orders": [{"first": 1}]}]}`:            `r.json: findings[0]: orders[0] has the first access 1, of 1`,
		good + `, "source": [{}]}]}`:                      `r.json: findings[0]: source[0] begins at line 0`,
	} {
		_, err := ReadJSON("r.json", strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
}

// Whatever can be read can be told.
func FuzzReadJSON(f *testing.F) {
	for _, file := range []string{"bank.json", "reports/abba.json", "reports/leftbehind.json"} {
		if data, err := os.ReadFile("testdata/" + file); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadJSON("r.json", bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, o := range []TextOptions{{Verbose: true}, {AllSteps: true, Width: 20, Color: true}} {
			var text strings.Builder
			require.NoError(t, WriteText(&text, r, o))
			plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text.String(), "")
			assert.Equal(t, untrusted.Printable(plain), plain, "what a terminal gets does nothing there")
		}
		for _, write := range []func(io.Writer, *Report) error{WriteHTML, WriteSARIF, WriteJUnit, WriteGitLab, WriteMarkdown, annotations} {
			require.NoError(t, write(io.Discard, r))
		}
	})
}
