package command

import "strings"

// Arguments are the arguments of a command line that are still to be read.
type arguments []string

// An argument is a flag or a word of a command line.
type argument struct {
	text     string // as it was typed
	flag     string // the name of a flag, without dashes; "" if it is none
	value    string // what follows "=" in a flag
	hasValue bool
}

// next takes the first of the arguments. Flags have one dash or two, as package flag takes them.
func (a *arguments) next() argument {
	arg := argument{text: (*a)[0]}
	*a = (*a)[1:]
	if arg.isFlag() {
		arg.flag, arg.value, arg.hasValue = strings.Cut(strings.TrimPrefix(arg.text[1:], "-"), "=")
	}
	return arg
}

// isFlag reports whether an argument begins with a dash. A lone dash counts, too.
func (arg argument) isFlag() bool { return strings.HasPrefix(arg.text, "-") }

// isBareFlag reports whether an argument is the flag of that name, without a value.
func (arg argument) isBareFlag(flag string) bool { return arg.flag == flag && !arg.hasValue }

// valueOf returns the value of a flag: what follows "=", or else the next argument, which it
// takes. It reports whether there is one.
func (a *arguments) valueOf(flag argument) (value string, ok bool) {
	switch {
	case flag.hasValue:
		return flag.value, true
	case len(*a) == 0:
		return "", false
	}
	return a.next().text, true
}
