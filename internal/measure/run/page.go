package run

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"strings"
	"text/template"
	"time"
)

// functions are those that the templates of pages call, beside those of package text/template.
var functions = template.FuncMap{
	"cell": Cell, "join": strings.Join, "before": before,
	"commas": commas, "millis": millis, "readable": readable, "share": share,
	"count": count, "sum": sum, "concat": concat, "mean": mean,
}

// Render fills in a page, NAME.md: the template NAME.md.tmpl in a folder of files.
func Render(files fs.FS, page string, data any) string {
	t := Must(template.New(page+".tmpl").Funcs(functions).ParseFS(files, "*/"+page+".tmpl"))
	var b strings.Builder
	Check(t.Execute(&b, data))
	return b.String()
}

// Write fills in a page and writes it to where -o says.
func (j *Job) Write(files fs.FS, page string, data any) { j.WriteText(Render(files, page, data)) }

// WriteText writes a page to where -o says, with the stamps of what it was measured of.
func (j *Job) WriteText(text string) {
	text = stamped(text, j.stamps())
	if j.out == "" {
		fmt.Print(text)
		return
	}
	Check(os.WriteFile(j.out, []byte(text), 0o666))
}

// Output is the file of -o, "" for the standard output.
func (j *Job) Output() string { return j.out }

// values are what each element of a list has in a field of that name, or returns from a method.
func values(list any, name string) (all []reflect.Value) {
	elements := reflect.ValueOf(list)
	for i := range elements.Len() {
		e := elements.Index(i)
		if m := e.MethodByName(name); m.IsValid() {
			all = append(all, m.Call(nil)[0])
		} else {
			all = append(all, reflect.Indirect(e).FieldByName(name))
		}
	}
	return all
}

// count returns how many elements of a list have something there that is not zero.
func count(list any, name string) (n int) {
	for _, v := range values(list, name) {
		if !v.IsZero() {
			n++
		}
	}
	return n
}

// sum adds up numbers of the elements of a list, or the lengths of lists.
func sum(list any, name string) (n int64) {
	for _, v := range values(list, name) {
		if v.Kind() == reflect.Slice {
			n += int64(v.Len())
		} else {
			n += v.Int()
		}
	}
	return n
}

// mean is the geometric mean of numbers of the elements of a list.
func mean(list any, name string) float64 {
	var all []float64
	for _, v := range values(list, name) {
		all = append(all, v.Float())
	}
	return GeometricMean(all)
}

// concat returns the elements of lists that the elements of a list have, one after another.
func concat(list any, name string) (all []any) {
	for _, v := range values(list, name) {
		for i := range v.Len() {
			all = append(all, v.Index(i).Interface())
		}
	}
	return all
}

// before is the part of text before a separator.
func before(text, separator string) string {
	text, _, _ = strings.Cut(text, separator)
	return text
}

// Cell makes text fit into a cell of a table.
func Cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

// commas writes n with commas between thousands.
func commas(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", commas(n/1000), n%1000)
}

// millis writes a time, in nanoseconds, in milliseconds with two digits or more.
func millis(nanoseconds any) string {
	ms := float64(reflect.ValueOf(nanoseconds).Int()) / float64(time.Millisecond)
	if ms >= 10 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2g ms", ms)
}

// readable writes a time in seconds, or in milliseconds if it is less than one.
func readable(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}

// share writes the fraction n/of of two numbers with two digits, "" where of is 0.
func share(n, of any) string {
	all := reflect.ValueOf(of).Int()
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(reflect.ValueOf(n).Int())/float64(all))
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

// ReadKnown reads lines "NAME: TEXT" of an embedded file: what is known by hand.
func ReadKnown(files fs.FS, file string) map[string]string {
	known := make(map[string]string)
	for line := range strings.Lines(ReadEmbedded(files, file)) {
		if name, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			known[name] = text
		}
	}
	return known
}
