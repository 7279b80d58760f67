package recorder

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/recorder/properties"
)

// Properties returns the properties that the tests of the packages of c declare, without preparing
// a build.
func Properties(ctx context.Context, c *Config) ([]properties.Declaration, error) {
	patterns := c.Args.Packages
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	roots, err := c.packages(ctx, "", true, patterns)
	if err != nil {
		return nil, err
	}
	for _, p := range roots {
		if isBroken(p) && !isTestMain(p) {
			return nil, &UsageError{fmt.Sprintf("%s: %s", testedPath(p), brokenReason(p))}
		}
	}
	return properties.Read(roots)
}

// declaredProperties returns the properties that the tests of the packages to rewrite declare, and
// the methods and events that these name. One of these packages must declare the method, or call
// property.Event.
func (l *loaded) declaredProperties() (ds []properties.Declaration, calls map[string]bool, err error) {
	if ds, err = properties.Read(l.rewrite); err != nil {
		return nil, nil, err
	}
	in := make(map[string]bool)
	for _, p := range l.rewrite {
		in[p.PkgPath] = true
	}
	var eventTypes map[string][]string // by event: types of operands; computed when first needed
	calls = make(map[string]bool)
	for _, d := range ds {
		for _, e := range d.Events {
			for _, m := range e.Methods {
				if m.Package != "" && !in[m.Package] {
					return nil, nil, &properties.Error{Position: m.Position, Text: fmt.Sprintf("expected a method of a package that is recorded, found %s; -predict.pkgs=work,%s records it", m.Name, m.Package)}
				}
				if m.Package == "" {
					if eventTypes == nil {
						eventTypes = properties.ReportedEvents(l.rewrite)
					}
					if !slices.ContainsFunc(eventTypes[e.Name], func(t string) bool { return slices.Contains(d.Types, t) }) {
						return nil, nil, &properties.Error{Position: m.Position, Text: fmt.Sprintf("expected a call of property.Event with the name %q and a %s in a package that is recorded, found none: name the methods, or tell of the event", e.Name, strings.Join(d.Types, " or a "))}
					}
				}
				calls[m.Name] = true
			}
		}
	}
	return ds, calls, nil
}
