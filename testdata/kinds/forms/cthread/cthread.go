// Package cthread has threads of C that call back into Go, or set what it polls: silence is no deadlock.
package cthread

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <unistd.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/time.h>
extern void goCallback(int);
static void *run(void *p) { usleep((long)p); goCallback(7); return 0; }
static void start(long us) { pthread_t t; pthread_create(&t, 0, run, (void*)us); pthread_detach(t); }
static volatile int flag;
static void *setter(void *p) { usleep((long)p); __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST); return 0; }
static void startSetter(long us) { pthread_t t; __atomic_store_n(&flag, 0, __ATOMIC_SEQ_CST); pthread_create(&t, 0, setter, (void*)us); pthread_detach(t); }
static int getFlag(void) { return __atomic_load_n(&flag, __ATOMIC_SEQ_CST); }
static void alarmIn(long us) { struct itimerval v = {{0,0},{us/1000000, us%1000000}}; setitimer(ITIMER_REAL, &v, 0); }
*/
import "C"

var ch = make(chan int)

//export goCallback
func goCallback(n C.int) { ch <- int(n) }

func Start(us int)       { C.start(C.long(us)) }
func StartSetter(us int) { C.startSetter(C.long(us)) }
func Flag() bool         { return C.getFlag() != 0 }
func Alarm(us int)       { C.alarmIn(C.long(us)) }
