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
	"strings"
	"sync"

	"github.com/gopredict/gopredict/internal/given"
)

// JSONSchema is the JSON Schema (2020-12) of what WriteJSON writes.
//
//go:embed report.schema.json
var JSONSchema []byte

// WriteJSON writes r as gopredict.report/v1, one indented document. Lists are
// arrays also when empty, never null. Findings are written a few at a time: all of them can be
// much longer than what there is to tell of them in memory.
func WriteJSON(w io.Writer, r *Report) error {
	out := *r
	out.Schema = Schema
	out.Packages = append([]Package{}, r.Packages...)
	for i := range out.Packages {
		out.Packages[i].Skipped = append([]string{}, out.Packages[i].Skipped...)
	}
	out.Findings = []Finding{}
	var text jsonBuffer
	around, err := text.of("", out)
	if err != nil {
		return err
	}
	const list = "\n  \"findings\": ["
	head, tail, _ := strings.Cut(string(around), list)
	b := bufio.NewWriter(w)
	b.WriteString(head) // an error is Flush's
	b.WriteString(list)
	beside := make([]struct {
		jsonBuffer
		made []byte
		err  error
	}, runtime.GOMAXPROCS(0))
	for first := 0; first < len(r.Findings); first += len(beside) {
		now := beside[:min(len(beside), len(r.Findings)-first)]
		var all sync.WaitGroup
		for k := range now {
			all.Go(func() {
				f := r.Findings[first+k]
				f.Accesses = append([]Access{}, f.Accesses...)
				now[k].made, now[k].err = now[k].of("    ", f)
			})
		}
		all.Wait()
		for k := range now {
			if now[k].err != nil {
				return now[k].err
			}
			if first+k > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n    ")
			b.Write(bytes.TrimRight(now[k].made, "\n"))
		}
	}
	if len(r.Findings) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString(tail)
	return b.Flush()
}

// A jsonBuffer makes JSON, always in the same memory: a finding may be megabytes of it.
type jsonBuffer struct {
	text bytes.Buffer
	enc  *json.Encoder
}

// of returns v as JSON until the next call; lines but the first begin with prefix.
func (d *jsonBuffer) of(prefix string, v any) ([]byte, error) {
	if d.enc == nil {
		d.enc = json.NewEncoder(&d.text)
		d.enc.SetEscapeHTML(false)
	}
	d.text.Reset()
	d.enc.SetIndent(prefix, "  ")
	err := d.enc.Encode(v)
	return d.text.Bytes(), err
}

// writeIndented writes v as one indented JSON document.
func writeIndented(w io.Writer, v any) error {
	text, err := new(jsonBuffer).of("", v)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// maxJSON is the size of the largest report that is read, in bytes.
const maxJSON = 256 << 20

// ReadJSON reads a report that WriteJSON has written, of this version or a later one:
// fields that it does not know are left out. Name is that of the file, for errors, which
// say where in it they are.
func ReadJSON(name string, r io.Reader) (*Report, error) {
	data, err := given.ReadAll(name, r, maxJSON)
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

// ReadFile is ReadJSON of the file at path.
func ReadFile(name, path string) (*Report, error) {
	f, err := given.Open(path, maxJSON)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadJSON(name, f)
}

// lineOf adds to a file's name the line of an error in it, if the error says where it is.
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

// check returns what is wrong with a finding that was read: numbers of what is not there.
func (f *Finding) check() error {
	switch n := len(f.Interleaving); {
	case f.ID == "":
		return errors.New("no id")
	case f.First < 0 || f.First > 0 && f.First >= len(f.Accesses):
		return fmt.Errorf("first is %d, of %d accesses", f.First, len(f.Accesses))
	case f.LeftOut < 0:
		return fmt.Errorf("left_out is %d", f.LeftOut)
	default:
		for i, e := range f.Edges {
			if min(e.From, e.To) < 0 || max(e.From, e.To) >= n {
				return fmt.Errorf("edges[%d] is from %d to %d, of %d steps", i, e.From, e.To, n)
			}
		}
		for i, o := range f.Orders {
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
