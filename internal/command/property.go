package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/analysis/property"
	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/recorder"
	"github.com/gopredict/gopredict/recorder/properties"
	"github.com/gopredict/gopredict/recorder/trace"
)

// runProperty is the subcommand that explains the properties that tests declare. It runs no test.
func (s *session) runProperty(ctx context.Context, args []string) (int, error) {
	if len(args) == 0 || args[0] != "explain" {
		return exitUsage, usagef("property takes a word, expected explain, found %q", strings.Join(args, " "))
	}
	dot := false
	if args = args[1:]; len(args) > 0 && (args[0] == "-dot" || args[0] == "--dot") {
		dot, args = true, args[1:]
	}
	goArgs, err := s.parseTest(args)
	if err != nil {
		return exitUsage, err
	}
	env, err := gotool.ReadEnv(ctx, s.dir)
	if err != nil {
		return exitFailed, err
	}
	declared, err := recorder.Properties(ctx, &recorder.Config{Dir: s.dir, Args: goArgs, Env: env})
	if err != nil {
		return exitFailed, err
	}
	if len(declared) == 0 {
		return exitUsage, usagef("no property is declared in the tests of these packages; docs/properties.md shows how")
	}
	all, err := compileProperties(declared)
	if err != nil {
		return exitFailed, err
	}
	for k := range declared {
		if dot {
			fmt.Fprint(s.stdout, all[k].Monitor.Dot(all[k].Name))
		} else {
			s.explain(&declared[k], all[k].Monitor)
		}
	}
	return exitOK, nil
}

// explain prints a property: its text, types and events, and its automaton.
func (s *session) explain(d *properties.Declaration, m *property.Monitor) {
	fmt.Fprintf(s.stdout, "%s\n\t%s:%d, of each %s\n\t%s %s\n", d.Name, s.relativeToShell(d.Position.Filename), d.Position.Line, d.Type(), d.Language, d.Text)
	for _, e := range d.Events {
		var methods []string
		for _, m := range e.Methods {
			name := m.Name
			if m.Package == "" { // an event that the program reports by property.Event
				name = properties.EventName(e.Name, strings.Join(d.Types, " and/or "))
			}
			if !slices.Contains(methods, name) {
				methods = append(methods, name)
			}
		}
		fmt.Fprintf(s.stdout, "\t%s is %s\n", e.Name, strings.Join(methods, ", "))
	}
	for _, line := range strings.Split(strings.TrimSuffix(m.String(), "\n"), "\n") {
		fmt.Fprintf(s.stdout, "\t%s\n", line)
	}
}

// compileMonitor compiles the text of a property.
func compileMonitor(d *properties.Declaration) (*property.Monitor, error) {
	var events []string
	for _, e := range d.Events {
		events = append(events, e.Name)
	}
	m, err := property.Compile(property.Language(d.Language), d.Text, events)
	if wrong, ok := errors.AsType[*property.Error](err); ok {
		return nil, d.Error(wrong.Offset, fmt.Sprintf("property %q: %v", d.Name, wrong))
	}
	return m, err
}

// compileWithBuiltin compiles the properties that tests declare, and the built-in ones.
func compileWithBuiltin(declared []properties.Declaration) ([]property.Property, error) {
	return compileProperties(append(properties.Builtin(), declared...))
}

// compileProperties compiles properties, in their order.
func compileProperties(declared []properties.Declaration) ([]property.Property, error) {
	var all []property.Property
	for k := range declared {
		d := &declared[k]
		m, err := compileMonitor(d)
		if err != nil {
			return nil, err
		}
		p := property.Property{Name: d.Name, Package: d.Package, Builtin: d.Package == "", OnlyIfFails: properties.IsHarmlessUnlessTestFails(d.Name), Calls: make(map[uint64]int), Monitor: m}
		if len(d.Types) > 1 {
			p.Params = make(map[uint64]property.Param)
		}
		for k, e := range d.Events {
			for _, method := range e.Methods {
				number := trace.CallSiteKey(method.Name, 0)
				p.Calls[number] = k
				if len(d.Types) < 2 {
					continue
				}
				of := property.Param{Of: method.TypeIndex}
				if method.IsPair {
					of.Operand = trace.CallSiteKey(properties.FirstObjectName(method.Name), 0)
				}
				p.Params[number] = of
			}
		}
		all = append(all, p)
	}
	return all, nil
}
