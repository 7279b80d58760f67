package trace

// A Type is what is known of the type of a value, for showing it to readers.
type Type uint8

// The types. Values of others are shown by what they look like.
const (
	TypeUnknown Type = iota
	TypeBool
	TypeInt     // signed, of any size
	TypeUint    // unsigned, of any size
	TypeFloat   // of any size
	TypePointer // pointers, maps, channels, functions: what can be nil in one word
	TypeParts   // structs, arrays, complex numbers: they have several values, which are not shown
	TypeText    // strings
	TypeDynamic // interfaces
	TypeSlice   // slices: the value is the length

	numTypes
)

var typeWords = [numTypes]string{"", "bool", "int", "uint", "float", "pointer", "parts", "string", "interface", "slice"}

// String returns the word of the text form; "" if the type is unknown.
func (t Type) String() string {
	if t < numTypes {
		return typeWords[t]
	}
	return ""
}
