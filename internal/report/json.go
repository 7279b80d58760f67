package report

import (
	_ "embed"
	"encoding/json"
	"io"
)

// JSONSchema is the JSON Schema (2020-12) of what WriteJSON writes.
//
//go:embed report.schema.json
var JSONSchema []byte

// WriteJSON writes r as gopredict.report/v1, one indented document. Lists are
// arrays also when empty, never null.
func WriteJSON(w io.Writer, r *Report) error {
	out := *r
	out.Schema = Schema
	out.Packages = append([]Package{}, r.Packages...)
	for i := range out.Packages {
		out.Packages[i].Skipped = append([]string{}, out.Packages[i].Skipped...)
	}
	out.Findings = append([]Finding{}, r.Findings...)
	for i := range out.Findings {
		out.Findings[i].Accesses = append([]Access{}, out.Findings[i].Accesses...)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
