package report

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// WriteAnnotations writes an annotation for each confirmed finding of r: a line that GitHub Actions
// takes from the output of a step, and shows at the line of the program. Folder is the module's in
// the repository, with forward slashes; "" or "." for the root.
func WriteAnnotations(w io.Writer, r *Report, folder string) error {
	r = printable(r)
	b := bufio.NewWriter(w)
	for _, f := range r.confirmedFindings() {
		at := f.mainPosition()
		file := at.File
		if inModule(file) {
			file = path.Join(folder, file)
		}
		fmt.Fprintf(b, "::%s file=%s,line=%d,title=%s::%s\n", level(f.FailsRun), escapeProperty(file), max(at.Line, 1),
			escapeProperty(f.Title()+" "+f.ID), escapeData(f.message()))
	}
	return b.Flush()
}

// escapeData and escapeProperty escape the parts of GitHub's workflow commands.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}

// WriteMarkdown writes r for the summary page of GitHub Actions: a table of the confirmed findings,
// and the text of each, folded.
func WriteMarkdown(w io.Writer, r *Report) error {
	r = printable(r)
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "### gopredict: %s\n\n", r.Summary())
	for i, f := range r.confirmedFindings() {
		if i == 0 {
			fmt.Fprint(b, "| | | test | |\n|---|---|---|---|\n")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", f.certainty(), f.Title(), escapeCell(f.Test), escapeCell(f.Sentence()))
	}
	for _, f := range r.confirmedFindings() {
		text, err := f.text()
		if err != nil {
			return err
		}
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n<details><summary>%s in %s</summary>\n\n%stext\n%s%s\n\n</details>\n", f.ID, escapeMarkup(f.Test), fence, text, fence)
	}
	return b.Flush()
}

// confirmedFindings returns the confirmed findings that are not suppressed.
func (r *Report) confirmedFindings() []*Finding {
	var out []*Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Status == bug.Confirmed && f.Suppressed == nil {
			out = append(out, f)
		}
	}
	return out
}

// escapeCell escapes s for a cell of a table.
func escapeCell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "*", "\\*", "_", "\\_", "`", "\\`").Replace(escapeMarkup(s))
}

// escapeMarkup escapes tags.
func escapeMarkup(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
