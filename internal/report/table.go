package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gopredict/gopredict/internal/bug"
)

// unmarked is written before steps that are not marked as violating accesses.
const unmarked = "  "

// writeTable writes the interleaving: a row for each step, a column for each
// goroutine, and the source position at the end.
func (p *printer) writeTable(f *Finding) {
	if len(f.Interleaving) == 0 {
		return
	}
	rows := fold(f.Interleaving)
	if p.brevity >= withShortTable && len(rows) > shortRows {
		rows = lastRows(rows, shortRows)
	}
	if p.opts.AllSteps {
		rows = allRows(f.Interleaving)
	}
	names := goroutines(rows)
	note := count(f.Switches, "switch")
	if f.OmittedSteps > 0 || !complete(rows) {
		note += ", " + f.length()
	}
	if f.ValuesFrom == "recording" {
		note += "; values as recorded"
	}
	p.printf("")
	p.printf("Interleaving (%s):", note)
	p.printf("")

	t := tableOf(rows, names, p.width)
	p.printf("%s", p.style.faint(t.header()))
	p.printf("%s", p.style.faint(t.rule()))
	for _, r := range rows {
		p.writeRow(t, r)
	}
	p.printf("")
	p.printf("%s", f.Legend())
	if text := f.ObjectsText(); text != "" && f.showsNumbers(rows) {
		p.printf("%s", text)
	}
	if f.Time != nil {
		p.printf("%s", f.Time)
	}
}

// showsNumbers reports whether an object of the accesses or of the rows has a number.
func (f *Finding) showsNumbers(rows []row) bool {
	isNumbered := func(p Place) bool { return p.Object > 0 }
	return slices.ContainsFunc(rows, func(r row) bool { return r.step != nil && r.step.Object > 0 }) ||
		slices.ContainsFunc(f.Accesses, func(a Access) bool { return a.Object > 0 || slices.ContainsFunc(a.Locks, isNumbered) })
}

// lastRows returns the last rows, keep of them or more, so that all of the violation are there.
func lastRows(rows []row, keep int) []row {
	from := len(rows) - keep + 1
	for i, r := range rows {
		if r.step != nil && r.step.Violation {
			from = min(from, i)
		}
	}
	steps := 0
	for _, r := range rows[:from] {
		steps = max(steps+r.folded, r.number)
	}
	if steps == 0 {
		return rows
	}
	return append([]row{{folded: steps}}, rows[from:]...)
}

// length says how many steps f has.
func (f *Finding) length() string {
	n := len(f.Interleaving)
	if f.OmittedSteps > 0 {
		return fmt.Sprintf("the last %d of %d steps", n, n+f.OmittedSteps)
	}
	return count(n, "step")
}

// complete reports whether rows show all steps.
func complete(rows []row) bool {
	return !slices.ContainsFunc(rows, func(r row) bool { return r.step == nil }) && rows[len(rows)-1].number == len(rows)
}

// Legend returns the text that explains the marked steps.
func (f *Finding) Legend() string {
	if text := f.Kind.Legend(len(f.Accesses)); text != "" {
		return "▶ " + text
	}
	return f.orderLegend()
}

// orderLegend is Legend for accesses in a forbidden order: it names the goroutines whose accesses
// belong to one atomic region.
func (f *Finding) orderLegend() string {
	if f.Kind.Proof() == bug.Monitored {
		return fmt.Sprintf("▶ The calls come in an order that violates the property %q.", f.Pattern)
	}
	var together []string
	for i, a := range f.Accesses {
		for _, b := range f.Accesses[:i] {
			if a.Region == b.Region && !slices.Contains(together, a.Goroutine) {
				together = append(together, a.Goroutine)
			}
		}
	}
	switch len(together) {
	case 0:
		return fmt.Sprintf("▶ The accesses come in the order of pattern %s.", f.Pattern)
	case 1:
		return fmt.Sprintf("▶ Those of goroutine %s are in one atomic region; another access comes in between (%s).", together[0], f.Pattern)
	}
	return fmt.Sprintf("▶ Those of goroutines %s are in one atomic region each; they come in turn (%s).", strings.Join(together, " and "), f.Pattern)
}

// goroutines returns the goroutines of rows, in the order of their paths.
func goroutines(rows []row) []string {
	var names []string
	for _, r := range rows {
		if r.step != nil && !slices.Contains(names, r.step.Goroutine) {
			names = append(names, r.step.Goroutine)
		}
	}
	slices.SortFunc(names, compareGoroutines)
	return names
}

// compareGoroutines orders "0.2" before "0.10".
func compareGoroutines(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		m, err1 := strconv.Atoi(x)
		n, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return m - n
		}
		return strings.Compare(x, y)
	})
}

// A layout is a table's columns.
type layout struct {
	number int // width of the step numbers
	names  []string
	short  map[string]string // short names of goroutines, by their names
	width  []int             // by goroutine
	folder string            // the common folder, which positions leave out
	pos    int               // width of the positions
	single bool              // all goroutines share one column
}

// tableOf returns the layout of rows in a table of some width.
func tableOf(rows []row, names []string, total int) layout {
	t := layout{names: names, short: shortNames(rows), number: 1, folder: folder(rows)}
	for _, r := range rows {
		if r.step != nil {
			t.number = max(t.number, len(strconv.Itoa(r.number)))
			at := utf8.RuneCountInString(t.position(*r.step))
			if strings.HasPrefix(r.step.File, "std/") {
				at = min(at, total/5) // what others need is for the steps
			}
			t.pos = max(t.pos, at)
		}
	}
	t.pos = min(t.pos, total/3)
	room := total - t.number - t.pos - len("  ") - len("   ")*(len(names)+1)
	if room < minColumn*len(names) {
		t.single = true
		room = total - t.number - t.pos - len("  ") - 3*len("   ")
		t.names = []string{"step", "the one before"}
	}
	t.width = make([]int, len(t.names))
	for i := range t.names {
		t.width[i] = utf8.RuneCountInString(t.title(i))
		for _, r := range rows {
			if r.step != nil {
				t.width[i] = max(t.width[i], utf8.RuneCountInString(t.text(i, r, total)))
			}
		}
	}
	if t.single { // what a step does says more than who has stopped
		t.width[1] = max(min(t.width[1], max(room-t.width[0], room*2/5)), 1)
	}
	shrink(t.width, max(room, minColumn))
	return t
}

// shortNames returns short names for goroutines with long ones: the end of the name, from a named
// spawn on, if it is unique. "0.goServe-1.Serve-2.1" becomes "…Serve-2.1".
func shortNames(rows []row) map[string]string {
	var all []string
	for _, r := range rows {
		if r.step != nil {
			all = append(all, r.step.Goroutine)
			if r.step.Op == "fork" && r.step.Value != "" {
				all = append(all, r.step.Value)
			}
			if r.step.Switch != nil {
				all = append(all, r.step.Switch.From)
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	short := make(map[string]string)
	for _, name := range all {
		for i := len(name) - 1; i >= 0 && len(name) > longName; i-- {
			end := name[i+1:]
			if name[i] != '.' || strings.Trim(end, ".0123456789") == "" {
				continue
			}
			if !slices.ContainsFunc(all, func(other string) bool { return other != name && strings.HasSuffix("."+other, "."+end) }) {
				short[name] = "…" + end
				break
			}
		}
	}
	return short
}

// goroutine returns the name of a goroutine in the table.
func (t layout) goroutine(name string) string { return cmp.Or(t.short[name], name) }

// folder returns the longest folder that has the files of all steps outside of the standard library,
// with its slash.
func folder(rows []row) string {
	common, first := "", true
	for _, r := range rows {
		if r.step == nil || strings.HasPrefix(r.step.File, "std/") {
			continue
		}
		dir := r.step.File[:strings.LastIndexByte(r.step.File, '/')+1]
		if first {
			common, first = dir, false
		}
		for !strings.HasPrefix(dir, common) {
			common = common[:strings.LastIndexByte(strings.TrimSuffix(common, "/"), '/')+1]
		}
	}
	return common
}

// position returns the step's place without the table's folder; "" where package testing starts a
// subtest.
func (t layout) position(s Step) string {
	if s.startsTest() {
		return ""
	}
	s.File = strings.TrimPrefix(s.File, t.folder)
	return s.Pos()
}

// shrink makes the widest columns narrower until all fit into room.
func shrink(width []int, room int) {
	sum := 0
	for _, w := range width {
		sum += w
	}
	for ; sum > room; sum-- {
		widest := 0
		for i, w := range width {
			if w > width[widest] {
				widest = i
			}
		}
		if width[widest] <= 1 {
			return
		}
		width[widest]--
	}
}

func (t layout) title(i int) string {
	if t.single {
		return t.names[i]
	}
	return "goroutine " + t.goroutine(t.names[i])
}

// cell returns the step's text in at most width runes, with its goroutine if that has no column.
func (t layout) cell(s Step, width int) string {
	name := ""
	if t.single {
		name = t.goroutine(s.Goroutine) + ": "
	}
	if s.Op == "fork" {
		s.Value = t.goroutine(s.Value)
	}
	return name + s.cell(max(width-utf8.RuneCountInString(name), 1))
}

// text returns the text of column i in the row of a step, in at most width runes.
func (t layout) text(i int, r row, width int) string {
	switch {
	case t.single && i == 1:
		if s := r.step.Switch; s != nil {
			return t.goroutine(s.From) + " " + s.Reason
		}
		return ""
	case t.single || t.names[i] == r.step.Goroutine:
		mark := unmarked
		if r.step.Violation {
			mark = "▶ "
		}
		return mark + t.cell(*r.step, width-len(unmarked))
	}
	return r.whyStopped(t.names[i])
}

func (t layout) header() string {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", t.number+2))
	for i, w := range t.width {
		b.WriteString(" │ " + pad(t.title(i), w))
	}
	return b.String() + " │"
}

func (t layout) rule() string {
	var b strings.Builder
	b.WriteString(strings.Repeat("─", t.number+2))
	for _, w := range t.width {
		b.WriteString("─┼─" + strings.Repeat("─", w))
	}
	return b.String() + "─┼─" + strings.Repeat("─", t.pos)
}

// totalWidth returns the width of all goroutines' columns together.
func (t layout) totalWidth() int {
	n := 3 * (len(t.width) - 1) // " │ " between columns
	for _, w := range t.width {
		n += w
	}
	return n
}

// gapText says how many steps a row leaves out.
func (r row) gapText() string {
	if r.rounds > 0 {
		return fmt.Sprintf("  … %s more, %s …", count(r.rounds, "round"), count(r.folded, "step"))
	}
	return fmt.Sprintf("  … %s …", count(r.folded, "step"))
}

// whyStopped says why a goroutine stopped, if the row is the step with which another goroutine goes
// on after it; else it returns "".
func (r row) whyStopped(goroutine string) string {
	if s := r.step.Switch; s != nil && s.From == goroutine {
		return "  (" + s.Reason + ")"
	}
	return ""
}

// writeRow writes one row. The violating accesses are marked.
func (p *printer) writeRow(t layout, r row) {
	sep := p.style.faint(" │ ")
	if r.step == nil {
		p.printf("%s", pad("", t.number+2)+sep+pad(r.gapText(), t.totalWidth())+p.style.faint(" │"))
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  %*d", t.number, r.number)
	for i, w := range t.width {
		text := pad(t.text(i, r, w), w)
		switch own := t.single && i == 0 || t.names[i] == r.step.Goroutine; {
		case !own && strings.TrimSpace(text) != "":
			text = p.style.faint(text)
		case r.step.Violation:
			text = p.style.loud(text)
		}
		b.WriteString(sep + text)
	}
	b.WriteString(sep + p.style.faint(clipPath(t.position(*r.step), t.pos)))
	p.printf("%s", b.String())
}

// clipPath cuts s to w runes at its beginning, between folders if that is enough.
func clipPath(s string, w int) string {
	n := utf8.RuneCountInString(s)
	if n <= w {
		return s
	}
	for i, r := range s {
		if n--; r == '/' && n+2 <= w {
			return "…" + s[i:]
		}
	}
	return clip(path.Base(s), w)
}

// pad returns s cut or filled to exactly w runes.
func pad(s string, w int) string {
	s = clip(s, w)
	return s + strings.Repeat(" ", w-utf8.RuneCountInString(s))
}

// clip cuts s to w runes, the last of which then is "…".
func clip(s string, w int) string {
	if utf8.RuneCountInString(s) <= w || w < 1 {
		return s
	}
	r := []rune(s)
	return string(r[:w-1]) + "…"
}
