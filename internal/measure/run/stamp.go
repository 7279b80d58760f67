package run

import (
	"fmt"
	"go/scanner"
	"go/token"
	"hash/fnv"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// WholeCommand returns the rooms that decide what gopredict test finds and what that costs, and
// subjects that it is measured on.
func WholeCommand(subjects ...string) []string {
	return append(subjects, "analysis", "internal/bug", "internal/command", "internal/evidence", "internal/explore", "recorder", "replayer")
}

// A Stamp is the line of a page that says of which sources its figures are: the commit, for
// readers, and for each room that was measured a digest, by which it is known whether
// the room has changed since. A digest needs no history, so that a shallow clone, or an archive of
// the sources, tells the same; and it stays when a branch is rebased, which gives commits other names.
type Stamp struct {
	Commit string // as in "4bb62432 of 2026-11-28"
	Rooms  []MeasuredRoom
}

// A MeasuredRoom is a folder with what is below, at the time of a measurement.
type MeasuredRoom struct{ Folder, Digest string }

// NewStamp returns the stamp of rooms of the repository in the folder root, as they are now.
func NewStamp(root string, rooms []string) (s Stamp) {
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	s.Commit = git("log", "-1", "--format=%h of %cs")
	switch {
	case s.Commit == "":
		s.Commit = "unknown"
	case git(append([]string{"status", "--porcelain", "--"}, rooms...)...) != "":
		s.Commit += " and changes"
	}
	for _, room := range slices.Sorted(slices.Values(rooms)) {
		digest := Digest(filepath.Join(root, filepath.FromSlash(room)))
		if digest == "" {
			Fail("expected Go files of what is measured in %s, found none", room)
		}
		s.Rooms = append(s.Rooms, MeasuredRoom{room, digest})
	}
	return s
}

// Stale returns the rooms that have changed since, or are gone. It keeps digests of folders as they
// are now in known.
func (s Stamp) Stale(root string, known map[string]string) (changed []string) {
	for _, r := range s.Rooms {
		now, ok := known[r.Folder]
		if !ok {
			now = Digest(filepath.Join(root, filepath.FromSlash(r.Folder)))
			known[r.Folder] = now
		}
		if now != r.Digest {
			changed = append(changed, r.Folder)
		}
	}
	return changed
}

func (s Stamp) String() string {
	var rooms []string
	for _, r := range s.Rooms {
		rooms = append(rooms, r.Folder+" "+r.Digest)
	}
	return fmt.Sprintf("Measured at commit %s: %s.", s.Commit, strings.Join(rooms, ", "))
}

var (
	stampLine = regexp.MustCompile(`(?m)^Measured at commit (.+): (.+)\.$`)
	stampRoom = regexp.MustCompile(`^([a-z0-9/-]+) ([0-9a-f]{8})$`)
)

// Stamps returns those of a page.
func Stamps(page string) (all []Stamp, err error) {
	for _, line := range stampLine.FindAllStringSubmatch(page, -1) {
		s := Stamp{Commit: line[1]}
		for _, room := range strings.Split(line[2], ", ") {
			m := stampRoom.FindStringSubmatch(room)
			if m == nil {
				return nil, fmt.Errorf("expected a folder and its digest in the line %q, found %q", line[0], room)
			}
			s.Rooms = append(s.Rooms, MeasuredRoom{m[1], m[2]})
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf(`expected a line "Measured at commit …: …", as a suite with rooms writes it below the title, found none`)
	}
	return all, nil
}

// stamped puts the stamps below the title of a page.
func stamped(page string, stamps []string) string {
	if len(stamps) == 0 {
		return page
	}
	title, rest, _ := strings.Cut(page, "\n")
	return title + "\n\n" + strings.Join(stamps, "\n\n") + "\n" + rest
}

// Digest is of the Go code in a folder and below, without tests, comments and the way it is
// formatted; of subjects, which are below a folder testdata, with their tests. It is "" if there is none.
func Digest(dir string) string {
	subjects := slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), "testdata")
	h := fnv.New32a()
	some := false
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata" && file != dir:
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") && !subjects:
			return nil
		}
		some = true
		fmt.Fprintln(h, filepath.ToSlash(Must(filepath.Rel(dir, file))))
		text := []byte(ReadFile(file))
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(file, -1, len(text)), text, nil, 0)
		for {
			_, tok, literal := s.Scan()
			if tok == token.EOF {
				return nil
			}
			if tok != token.SEMICOLON { // most of them are ends of lines
				fmt.Fprintln(h, tok, literal)
			}
		}
	})
	if err != nil || !some {
		return ""
	}
	return fmt.Sprintf("%08x", h.Sum32())
}
