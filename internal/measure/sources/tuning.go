package sources

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gopredict/gopredict/internal/measure/run"
)

// A tunedRoom is a package with a tuning.go.
type tunedRoom struct {
	Name      string
	Constants []tuningConstant
}

// A tuningConstant is a constant of a tuning.go, with the parts of its comment.
type tuningConstant struct{ Name, Value, Unit, What, Trades, Chosen string }

// tuning makes a page of the constants in each room's tuning.go, from their declarations.
func tuning(j *run.Job) bool {
	j.Parse()
	j.Write(pages, "tuning.md", readTuning("."))
	return true
}

// readTuning reads all tuning.go below root but those of measure itself.
func readTuning(root string) (rooms []tunedRoom) {
	for _, file := range run.GoFiles(root) {
		room := filepath.ToSlash(run.Must(filepath.Rel(root, filepath.Dir(file))))
		if filepath.Base(file) == "tuning.go" && !strings.HasPrefix(room, "internal/measure") {
			rooms = append(rooms, tunedRoom{room, parseTuning(file, run.ReadFile(file))})
		}
	}
	return rooms
}

// parseTuning reads the constants of a file.
func parseTuning(file, text string) (all []tuningConstant) {
	fset := token.NewFileSet()
	f := run.Must(parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution))
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, spec := range decl.Specs {
			spec := spec.(*ast.ValueSpec)
			comment := spec.Doc.Text() + spec.Comment.Text()
			if comment == "" || !decl.Lparen.IsValid() {
				comment = decl.Doc.Text() + comment
			}
			for k, name := range spec.Names {
				c := parseComment(comment)
				c.Name = name.Name
				if k < len(spec.Values) {
					v := spec.Values[k]
					c.Value = text[fset.Position(v.Pos()).Offset:fset.Position(v.End()).Offset]
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// The parts of a comment: "… (unit: events). Trades … for …. Measured: …", or "Chosen: …".
var (
	unitPart   = regexp.MustCompile(` ?\(unit: ([^)]*)\)`)
	chosenPart = regexp.MustCompile(`\s*((?:Measured|Chosen): .*)$`)
	tradesPart = regexp.MustCompile(`\s*(Trades .*?\.)(?:\s|$)`)
)

// parseComment divides a comment into its parts.
func parseComment(comment string) (c tuningConstant) {
	all := strings.Join(strings.Fields(comment), " ")
	c.What = all
	for part, pattern := range map[*string]*regexp.Regexp{&c.Unit: unitPart, &c.Chosen: chosenPart, &c.Trades: tradesPart} {
		if m := pattern.FindStringSubmatch(all); m != nil {
			*part = m[1]
			c.What = strings.Replace(c.What, m[0], " ", 1)
		}
	}
	c.What = strings.ReplaceAll(strings.TrimSpace(c.What), " .", ".")
	return c
}
