package selftest

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

var (
	array    = []int{1, 2, 3}
	names    = map[string]int{"a": 1}
	numbers  = map[int]int{1: 1}
	aName    = reflect.ValueOf("a")
	one      = reflect.ValueOf(1)
	ofName   = reflect.ValueOf(names)
	ofNumber = reflect.ValueOf(numbers)
)

// What packages copy when they are initialized has no events; what a test does has.
var initial, atFirst = []int{1}, map[int]int{}

func init() { copyByReflection() }

func copyByReflection() {
	reflect.Copy(reflect.ValueOf(initial), reflect.ValueOf(array))
	reflect.ValueOf(atFirst).SetMapIndex(one, one)
}

func TestCopyByReflection(t *testing.T) { copyByReflection() }

func TestRuntimeReflectTypedmemmove(t *testing.T) {
	reflect.ValueOf(&array).Elem().Set(reflect.ValueOf(&[]int{1, 2, 3}).Elem())
}

// An outage is an error of more than one word.
type outage struct{ from, to int }

func (outage) Error() string { return "outage" }

var found outage

func TestRuntimeReflectliteTypedmemmove(t *testing.T) { errors.As(error(outage{1, 2}), &found) }

func TestRuntimeReflectTypedslicecopy(t *testing.T) {
	reflect.Copy(reflect.ValueOf(array), reflect.ValueOf(array[1:]))
}
func TestRuntimeReflectMapaccess(t *testing.T)        { ofNumber.MapIndex(one) }
func TestRuntimeReflectMapaccessFaststr(t *testing.T) { ofName.MapIndex(aName) }
func TestRuntimeReflectMaplen(t *testing.T)           { ofName.Len() }
func TestRuntimeReflectMapassign(t *testing.T)        { ofNumber.SetMapIndex(one, one) }
func TestRuntimeReflectMapassignFaststr(t *testing.T) { ofName.SetMapIndex(aName, one) }
func TestRuntimeReflectMapdelete(t *testing.T)        { ofNumber.SetMapIndex(one, reflect.Value{}) }
func TestRuntimeReflectMapdeleteFaststr(t *testing.T) { ofName.SetMapIndex(aName, reflect.Value{}) }
func TestRuntimeReflectMapclear(t *testing.T)         { reflect.ValueOf(map[int]int{}).Clear() }
func TestReflectMapIterStart(t *testing.T)            { ofName.MapRange().Next() }

func TestIterPull(t *testing.T) { pull() }
func TestIterPull2(t *testing.T) {
	next, stop := iter.Pull2(func(yield func(int, int) bool) { yield(1, 2) })
	next()
	stop()
}

// buffer is not in a goroutine's stack.
var buffer = make([]byte, 3)

func file(t *testing.T) *os.File {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestSyscallWrite(t *testing.T)  { file(t).Write(buffer) }
func TestSyscallPwrite(t *testing.T) { file(t).WriteAt(buffer, 1) }
func TestSyscallRead(t *testing.T) {
	f := file(t)
	f.Write(buffer)
	f.Seek(0, 0)
	f.Read(buffer)
}
func TestSyscallPread(t *testing.T) {
	f := file(t)
	f.Write(buffer)
	f.ReadAt(buffer, 0)
}

// On Windows it is package poll that has them.
func TestInternalPollFDWrite(t *testing.T)  { TestSyscallWrite(t) }
func TestInternalPollFDPwrite(t *testing.T) { TestSyscallPwrite(t) }
func TestInternalPollFDRead(t *testing.T)   { TestSyscallRead(t) }
func TestInternalPollFDPread(t *testing.T)  { TestSyscallPread(t) }
