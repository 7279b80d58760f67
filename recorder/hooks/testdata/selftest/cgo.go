package selftest

/*
#include <unistd.h>
extern void called(void);
static void callback(void) { called(); }
*/
import "C"

// calls is what C calls.
var calls = make(chan bool, 1)

//export called
func called() { calls <- true }

func callC() { C.callback() }

func sleepInC(microseconds int64) { C.usleep(C.useconds_t(microseconds)) }
