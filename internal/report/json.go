package report

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gopredict/gopredict/internal/untrusted"
)

// JSONSchema is the JSON Schema (2020-12) of what WriteJSON writes.
//
//go:embed report.schema.json
var JSONSchema []byte

// WriteJSON writes r as gopredict.report/v1, one indented document. Empty lists are arrays, never
// null. It encodes a few findings at a time, in parallel, since their JSON can be much larger than
// the findings in memory.
func WriteJSON(w io.Writer, r *Report) error {
	out := *r
	out.Schema = Schema
	out.Packages = append([]Package{}, r.Packages...)
	for i := range out.Packages {
		out.Packages[i].Skipped = append([]string{}, out.Packages[i].Skipped...)
	}
	out.Findings = []Finding{}
	var text jsonBuffer
	around, err := text.encode("", out)
	if err != nil {
		return err
	}
	const list = "\n  \"findings\": ["
	head, tail, _ := strings.Cut(string(around), list)
	b := bufio.NewWriter(w)
	b.WriteString(head) // Flush returns errors
	b.WriteString(list)
	encoders := make([]jsonBuffer, runtime.GOMAXPROCS(0))
	between := "\n    "
	for batch := range slices.Chunk(r.Findings, len(encoders)) {
		errs := make([]error, len(batch))
		var all sync.WaitGroup
		for k, f := range batch {
			all.Go(func() {
				f.Accesses = append([]Access{}, f.Accesses...)
				_, errs[k] = encoders[k].encode("    ", f)
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for k := range batch {
			b.WriteString(between)
			b.Write(bytes.TrimRight(encoders[k].text.Bytes(), "\n"))
			between = ",\n    "
		}
	}
	if len(r.Findings) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString(tail)
	return b.Flush()
}

// A jsonBuffer encodes JSON and reuses its memory: a finding may have megabytes.
type jsonBuffer struct {
	text bytes.Buffer
	enc  *json.Encoder
}

// encode returns v as JSON, which is valid until the next call. Prefix begins all lines but the
// first.
func (d *jsonBuffer) encode(prefix string, v any) ([]byte, error) {
	if d.enc == nil {
		d.enc = json.NewEncoder(&d.text)
		d.enc.SetEscapeHTML(false)
	}
	d.text.Reset()
	d.enc.SetIndent(prefix, "  ")
	err := d.enc.Encode(v)
	return untrusted.JSON(d.text.Bytes()), err
}

// writeIndented writes v as one indented JSON document.
func writeIndented(w io.Writer, v any) error {
	text, err := new(jsonBuffer).encode("", v)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// ReadJSON reads a report that WriteJSON wrote, in this version or a later one, and ignores unknown
// fields. Errors begin with name, the file's, and the line.
func ReadJSON(name string, r io.Reader) (*Report, error) {
	data, err := untrusted.ReadAll(name, r, maxJSON)
	if err != nil {
		return nil, err
	}
	var out Report
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: expected a report that -predict.json has written: %w", lineOf(name, data, err), err)
	}
	if out.Schema != Schema {
		return nil, fmt.Errorf("%s: found the schema %.40q, expected %q, as -predict.json writes it", name, out.Schema, Schema)
	}
	for i := range out.Findings {
		if err := out.Findings[i].check(); err != nil {
			return nil, fmt.Errorf("%s: findings[%d]: %w", name, i, err)
		}
	}
	return &out, nil
}

// ReadFile reads the report in the file at path; see [ReadJSON].
func ReadFile(name, path string) (*Report, error) {
	f, err := untrusted.Open(path, maxJSON)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadJSON(name, f)
}

// lineOf returns the file's name with the line of a JSON error, if the error has an offset.
func lineOf(name string, data []byte, err error) string {
	var at int64
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = e.Offset
	} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = e.Offset
	} else {
		return name
	}
	at = min(max(at, 0), int64(len(data)))
	return fmt.Sprintf("%s:%d", name, 1+strings.Count(string(data[:at]), "\n"))
}

// check returns an error if a finding that was read has no id, or indices that are out of range.
func (f *Finding) check() error {
	switch n := len(f.Interleaving); {
	case f.ID == "":
		return errors.New("no id")
	case f.FirstAccess < 0 || f.FirstAccess > 0 && f.FirstAccess >= len(f.Accesses):
		return fmt.Errorf("first is %d, of %d accesses", f.FirstAccess, len(f.Accesses))
	case f.OmittedSteps < 0:
		return fmt.Errorf("left_out is %d", f.OmittedSteps)
	default:
		for i, e := range f.Edges {
			if min(e.From, e.To) < 0 || max(e.From, e.To) >= n {
				return fmt.Errorf("edges[%d] is from %d to %d, of %d steps", i, e.From, e.To, n)
			}
		}
		for i, o := range f.OrderOutcomes {
			if o.First < 0 || o.First >= len(f.Accesses) {
				return fmt.Errorf("orders[%d] has the first access %d, of %d", i, o.First, len(f.Accesses))
			}
		}
		for i, e := range f.Source {
			if e.Line < 1 {
				return fmt.Errorf("source[%d] begins at line %d", i, e.Line)
			}
		}
	}
	return nil
}
