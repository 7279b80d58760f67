package sharing

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Fields of structs are also told apart by their types alone, whatever variable
// they are in: the second net, for variables that unknown code knows, and may
// have copied pointers to. As long as package unsafe stays out, a field that is
// neither a struct nor an array changes by an assignment to the field or to a
// struct around it, or through a pointer to it if its address was taken. If the
// program has no such store with an event, reads of the field need none. Stores
// of unknown code have no events in any case. So of
//
//	type server struct {
//		name string // set in composite literals only: reads of it have no events
//		hits int    // s.hits++ stands somewhere: all accesses to it have
//	}
//
// accesses to the name need no events although the servers are known to package net/http. That is the
// field-based analysis of Heintze and Tardieu, Ultra-fast Aliasing Analysis using CLA, PLDI
// 2001: one variable for each field of a type.

// fieldClasses says which fields may change.
type fieldClasses struct {
	structNames    map[*types.Struct]string // see name
	changingFields map[string]bool          // by class: fields, by class, to which a store with an event writes or whose address is taken
	disabled       bool                     // unsafe code may write any field, so that classes tell nothing
	// typeArgs are the types that generic code is instantiated with, and storesTypeParams says that it
	// stores values of its parameters' types: then it may store any of these as a whole.
	typeArgs         []types.Type
	storesTypeParams bool
}

// name is the class of field i of t. Structs whose fields have the same names
// are one, for values convert between them, and between instances and what
// they are instances of.
func (c *fieldClasses) name(t *types.Struct, i int) string {
	name, ok := c.structNames[t]
	if !ok {
		var b strings.Builder
		for f := range t.Fields() {
			b.WriteString(f.Id())
			b.WriteByte(';')
		}
		name = b.String()
		c.structNames[t] = name
	}
	return name + "#" + strconv.Itoa(i)
}

// markCast marks all fields of t, or of what t points to, as changing: they are converted by
// unsafe code.
func (c *fieldClasses) markCast(t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		t = u.Elem()
	case *types.Slice:
		t = u.Elem()
	}
	for _, name := range c.fieldsOf(nil, t) {
		c.changingFields[name] = true
	}
}

// fieldsOf returns the classes of the fields that an access to a variable of type t at addr
// touches: those of its own fields if t is a struct, else that of the field that addr is the
// address of. It returns none for a variable that is no field. addr may be nil.
func (c *fieldClasses) fieldsOf(addr ssa.Value, t types.Type) []string {
	var names []string
	var inner func(t types.Type)
	inner = func(t types.Type) {
		u := t.Underlying().(*types.Struct)
		for i := range u.NumFields() {
			if t := elementOf(u.Field(i).Type()); isStruct(t) {
				inner(t)
			} else {
				names = append(names, c.name(u, i))
			}
		}
	}
	if t = elementOf(t); isStruct(t) {
		inner(t)
		return names
	}
	for addr != nil {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			if s, ok := structOf(x); ok {
				return []string{c.name(s, x.Field)}
			}
			return nil
		case *ssa.IndexAddr:
			if p, ok := x.X.Type().Underlying().(*types.Pointer); !ok || !isArray(p.Elem()) {
				return nil
			}
			addr = x.X
		default:
			return nil
		}
	}
	return nil
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok && kindOf(t) != leadsUnknown
}

// elementOf is what arrays of type t have as elements, be it by way of arrays in arrays; t if it
// is no array.
func elementOf(t types.Type) types.Type {
	for isArray(t) {
		t = t.Underlying().(*types.Array).Elem()
	}
	return t
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok && kindOf(t) != leadsUnknown
}

// structOf is the type of the struct that x selects a field of.
func structOf(x *ssa.FieldAddr) (*types.Struct, bool) {
	p, ok := x.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil, false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	return s, ok
}

// classify finds the classes of fields that change, once it is known which nodes need events.
// A store that comes before its variable is published needs none: it changes nothing that
// others read.
func (es *escapeAnalysis) classify() {
	for _, w := range es.writes {
		if w.hasNoEvent || !es.anyNeedsEvents(w.destination, w.typ) {
			continue
		}
		if kindOf(w.typ) == leadsUnknown {
			es.classes.storesTypeParams = true
		}
		for _, name := range es.classes.fieldsOf(w.addr, w.typ) {
			es.classes.changingFields[name] = true
		}
	}
	if es.classes.storesTypeParams {
		for _, t := range es.classes.typeArgs {
			for _, name := range es.classes.fieldsOf(nil, t) {
				es.classes.changingFields[name] = true
			}
		}
	}
	es.eachInstruction(func(_ *function, instr ssa.Instruction) {
		if addr, ok := instr.(ssa.Value); ok && hasEscapingAddress(addr) {
			for _, name := range es.classes.fieldsOf(addr, addr.Type().Underlying().(*types.Pointer).Elem()) {
				es.classes.changingFields[name] = true
			}
		}
	})
}

// hasEscapingAddress reports whether addr is the address of a field, or of an element of
// an array, that is neither struct nor array of structs and may be stored
// through where it is not seen that it is one.
func hasEscapingAddress(addr ssa.Value) bool {
	switch addr.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
	default:
		return false
	}
	p, ok := addr.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	if isStruct(elementOf(p.Elem())) {
		return false
	}
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr:
		case *ssa.Store:
			if r.Val == addr {
				return true
			}
		default:
			return true
		}
	}
	return false
}
