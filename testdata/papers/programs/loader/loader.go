// Package loader is the program of that name of the ConTest suite: those who
// use what is loaded sleep until it will be there, and do not wait for it.
package loader

// A Class can be used once it is loaded.
type Class struct {
	name    string
	methods int
}

// A Loader loads one class.
type Loader struct {
	class *Class // nil before it is loaded
}

// Load loads the class.
func (l *Loader) Load(name string) {
	l.class = &Class{name, len(name)}
}

// Name returns the name of the loaded class.
func (l *Loader) Name() string {
	return l.class.name
}

// Methods returns how many methods the class has, 0 for none.
func (l *Loader) Methods() int {
	if l.class == nil {
		return 0
	}
	return l.class.methods
}
