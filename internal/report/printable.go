package report

import (
	"reflect"

	"github.com/gopredict/gopredict/internal/untrusted"
)

// printable returns a copy of a report, or of a part of one, that is safe to print on a terminal. The
// strings may come from a stranger's witness, trace or report. Each becomes one line, except for
// Warnings and Incomplete, which may hold a compiler's output.
func printable[T any](v *T) *T {
	out := new(T)
	printableInto(reflect.ValueOf(out).Elem(), reflect.ValueOf(v).Elem(), untrusted.Line)
	return out
}

func printableInto(out, in reflect.Value, show func(string) string) {
	switch in.Kind() {
	case reflect.String:
		out.SetString(show(in.String()))
	case reflect.Pointer:
		if !in.IsNil() {
			out.Set(reflect.New(in.Type().Elem()))
			printableInto(out.Elem(), in.Elem(), show)
		}
	case reflect.Slice:
		if !in.IsNil() {
			out.Set(reflect.MakeSlice(in.Type(), in.Len(), in.Len()))
		}
		for i := range in.Len() {
			printableInto(out.Index(i), in.Index(i), show)
		}
	case reflect.Struct:
		for i := range in.NumField() {
			show := show
			if name := in.Type().Field(i).Name; name == "Warnings" || name == "Incomplete" {
				show = untrusted.Printable
			}
			printableInto(out.Field(i), in.Field(i), show)
		}
	default:
		out.Set(in)
	}
}
