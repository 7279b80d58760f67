package selftest

/*
extern void called(void);
static void callback(void) { called(); }
*/
import "C"

// calls is what C calls.
var calls = make(chan bool, 1)

//export called
func called() { calls <- true }

func callC() { C.callback() }
