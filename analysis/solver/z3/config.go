package z3

// A Config has the parameters that a [Context] is made with.
type Config struct {
	api *api
	raw uintptr
}

// NewConfig returns Z3's defaults. An error says what to install if the library
// is not on this machine, or is too old.
func NewConfig() (*Config, error) {
	a, err := library()
	if err != nil {
		return nil, err
	}
	return &Config{a, a.MkConfig()}, nil
}

// SetParamValue sets a parameter of Z3, such as "model" or "timeout", to a value as
// Z3 writes it, such as "false" or "100". Z3 warns on standard error of one that it does
// not know, and of a value that does not fit.
func (c *Config) SetParamValue(name, value string) {
	c.open()
	c.api.SetParamValue(c.raw, name, value)
}

// Close frees c. Contexts that were made with it stay.
func (c *Config) Close() {
	if c.raw != 0 {
		c.api.DelConfig(c.raw)
		c.raw = 0
	}
}

func (c *Config) open() {
	if c.raw == 0 {
		panic("z3: use of a closed Config")
	}
}
