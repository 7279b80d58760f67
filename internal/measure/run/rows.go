package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Rows are what a suite has measured, by the names of rows. With -rows a file keeps them, as
// lines of JSON: so a page can be made in parts, and what was measured is not measured again.
type Rows[R any] struct {
	job *Job
	all map[string]keptRow[R]
}

// A keptRow is a line of a file of rows.
type keptRow[R any] struct {
	Name  string
	Stamp string `json:",omitempty"` // of what it was measured
	Row   R
}

// LoadRows returns the rows that the file of -rows keeps. The page gets their stamps. Rows that
// tell of no sources are refused, as the page would not say which these were.
func LoadRows[R any](j *Job) *Rows[R] {
	rows, own := &Rows[R]{j, readKept[R](j.kept)}, j.ownStamp()
	for name, k := range rows.all {
		if k.Stamp == "" && own != "" {
			Fail("%s: expected of each row which sources it was measured of; row %s does not say it: measure it again", j.kept, name)
		}
	}
	j.rows = rows.stamps
	return rows
}

// ReadRows reads a file of rows. Without a name, or if there is no file, there are none. Of
// several rows of one name the last counts.
func ReadRows[R any](file string) map[string]R {
	rows := make(map[string]R)
	for name, k := range readKept[R](file) {
		rows[name] = k.Row
	}
	return rows
}

// readKept reads the lines of a file of rows, by their names.
func readKept[R any](file string) map[string]keptRow[R] {
	rows := make(map[string]keptRow[R])
	text, err := os.ReadFile(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) {
		return rows
	}
	Check(err)
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var k keptRow[R]
		if err := d.Decode(&k); err != nil {
			Fail("%s: expected rows as -rows writes them: %w", file, err)
		}
		rows[k.Name] = k
	}
	return rows
}

// Get returns a row that is kept or was measured.
func (r *Rows[R]) Get(name string) (row R, ok bool) {
	k, ok := r.all[name]
	return k.Row, ok
}

// stamps are those of all rows, each once.
func (r *Rows[R]) stamps() (all []string) {
	for _, k := range r.all {
		all = append(all, k.Stamp)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Measure measures a row, unless it is there or -run does not select it, and keeps it.
func (r *Rows[R]) Measure(name string, measure func() R) {
	if _, ok := r.all[name]; ok || !r.job.Matches(name) {
		return
	}
	r.job.Log("%s", name)
	In(name, func() { r.Put(name, measure()) })
}

// Put adds a row, or replaces it.
func (r *Rows[R]) Put(name string, row R) {
	k := keptRow[R]{name, r.job.ownStamp(), row}
	r.all[name] = k
	if r.job.kept == "" {
		return
	}
	f := Must(os.OpenFile(r.job.kept, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666))
	defer f.Close()
	Check(json.NewEncoder(f).Encode(k))
}

// WithPrefix returns the rows whose names begin with a prefix, by their names.
func (r *Rows[R]) WithPrefix(prefix string) (rows []R) {
	for _, name := range slices.Sorted(maps.Keys(r.all)) {
		if strings.HasPrefix(name, prefix) {
			rows = append(rows, r.all[name].Row)
		}
	}
	return rows
}
