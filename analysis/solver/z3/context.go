package z3

import (
	"fmt"
	"strings"
)

// A Context is a world of Z3 of its own: its terms, and the solvers that decide over them.
type Context struct {
	api *api
	raw uintptr
	err error // the first
}

// NewContext returns an empty context. An error says what to install if the library is not on
// this machine, or is too old.
func NewContext() (*Context, error) {
	a, err := library()
	if err != nil {
		return nil, err
	}
	config := a.MkConfig()
	defer a.DelConfig(config)
	c := &Context{api: a, raw: a.MkContext(config)}
	a.SetErrorHandler(c.raw, 0) // the default one ends the program
	return c, nil
}

// Close frees c and all that belongs to it: terms, solvers and models.
func (c *Context) Close() {
	if c.raw != 0 {
		c.api.DelContext(c.raw)
		c.raw = 0
	}
}

// Err returns the first error of what was made in c and asked of it, nil if there was none. It may
// be asked for after Close.
func (c *Context) Err() error { return c.err }

// Interrupt makes the check that is going on in c, if there is one, end with Undef. It is the one
// method that may be called from any goroutine; c must stay open until it has returned.
func (c *Context) Interrupt() { c.api.Interrupt(c.raw) }

// Allocated returns how many bytes Z3 holds, in all contexts of the program, as it estimates.
func (c *Context) Allocated() uint64 { return c.api.GetEstimatedAllocSize() }

// EvalSMTLIB2String does the commands of an SMT-LIB 2 text, as Z3's own command would, and returns
// what it prints. Tests ask it for the answers of written queries.
func (c *Context) EvalSMTLIB2String(text string) string {
	if !c.usable() {
		return ""
	}
	out := c.api.EvalSMTLIB2String(c.raw, text)
	c.check()
	return out
}

// usable reports whether there was no error yet. It panics if c is closed.
func (c *Context) usable() bool {
	if c.raw == 0 {
		panic("z3: use of a closed Context")
	}
	return c.err == nil
}

// check keeps the error of the last call, if it is the first one, and reports whether there is
// none.
func (c *Context) check() bool {
	if code := c.api.GetErrorCode(c.raw); code != 0 && c.err == nil {
		c.err = fmt.Errorf("z3: %s", strings.TrimSpace(c.api.GetErrorMsg(c.raw, code)))
	}
	return c.err == nil
}

// symbol returns Z3's handle of a name, which must have no zero bytes.
func (c *Context) symbol(name string) uintptr { return c.api.MkStringSymbol(c.raw, name) }
