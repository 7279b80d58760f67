package witness

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gopredict/gopredict/recorder/trace"
)

func TestValue(t *testing.T) {
	for _, c := range []struct {
		v    uint64
		size int
		t    trace.Type
		want string
	}{
		{1, 1, trace.TypeBool, "true"}, {0, 1, trace.TypeBool, "false"},
		{0xff, 1, trace.TypeInt, "-1"}, {0xff, 1, trace.TypeUint, "255"}, {1 << 40, 8, trace.TypeInt, "1099511627776"},
		{0x3fc00000, 4, trace.TypeFloat, "1.5"}, {0x3ff8000000000000, 8, trace.TypeFloat, "1.5"},
		{0, 8, trace.TypePointer, "nil"}, {0xc000012345, 8, trace.TypePointer, "ptr"}, {1, 8, trace.TypeParts, ""},
	} {
		assert.Equal(t, c.want, Value(c.v, c.size, c.t))
	}
}

func TestValueOfUnknownType(t *testing.T) {
	for _, c := range []struct {
		v    uint64
		size int
		want string
	}{
		{0, 8, "0"}, {100, 1, "100"}, {255, 1, "255"}, {1 << 30, 4, "1073741824"},
		{0xffffffff, 4, "-1"}, {0xffffffffffffffff, 8, "-1"}, {0xffff, 2, "65535"},
		{0xc000012345, 8, "ptr"}, {0x3ff8000000000000, 8, "1.5"}, {0xc000000000000000, 8, "-2"},
		{0x17a1b2c3d4e5f607, 8, "0x17a1b2c3d4e5f607"}, {0xdeadbeef, 4, "-559038737"}, {0x80000000, 4, "0x80000000"},
	} {
		assert.Equal(t, c.want, Value(c.v, c.size, trace.TypeUnknown))
	}
}
