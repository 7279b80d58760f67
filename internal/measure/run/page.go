package run

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"text/template"
	"time"
)

// functions are those that the templates of pages call, beside those of package text/template.
var functions = template.FuncMap{
	"cell": Cell, "join": strings.Join, "seconds": time.Duration.Seconds,
	"commas": Commas, "millis": Millis, "readable": Readable, "share": Share,
}

// Render fills in a page, NAME.md: the template pages/NAME.md.tmpl of files.
func Render(files fs.FS, page string, data any) string {
	t := Must(template.New(page+".tmpl").Funcs(functions).ParseFS(files, "pages/"+page+".tmpl"))
	var b strings.Builder
	Check(t.Execute(&b, data))
	return b.String()
}

// Write fills in a page and writes it to where -o says.
func (j *Job) Write(files fs.FS, page string, data any) { j.WriteText(Render(files, page, data)) }

// WriteText writes a page to where -o says.
func (j *Job) WriteText(text string) {
	if j.out == "" {
		fmt.Print(text)
		return
	}
	Check(os.WriteFile(j.out, []byte(text), 0o666))
}

// Output is the file of -o, "" for the standard output.
func (j *Job) Output() string { return j.out }

// Cell makes text fit into a cell of a table.
func Cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

// Commas writes n with commas between thousands.
func Commas(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Commas(n/1000), n%1000)
}

// Millis writes a time in milliseconds, with two digits or more.
func Millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms >= 10 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2g ms", ms)
}

// Readable writes a time in seconds, or in milliseconds if it is less than one.
func Readable(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}

// Share writes the fraction n/of with two digits, "" where of is 0.
func Share(n, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(n)/float64(of))
}

// Over writes a/b with one digit, "" where b is 0.
func Over(a, b float64) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", a/b)
}

// GeometricMean is that of ratios.
func GeometricMean(ratios []float64) float64 {
	var sum float64
	for _, x := range ratios {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(ratios)))
}

// ReadEmbedded reads an embedded file.
func ReadEmbedded(files fs.FS, name string) string { return string(Must(fs.ReadFile(files, name))) }
