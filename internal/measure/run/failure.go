package run

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// A failure is the error that ends a suite.
type failure struct{ error }

// Check ends the suite if there is an error.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns v, or ends the suite if there is an error.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Fail ends the suite with an error.
func Fail(format string, args ...any) { Check(fmt.Errorf(format, args...)) }

// Catch calls f and returns the error that has ended it; nil if none has.
func Catch(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = failed.error
		}
	}()
	f()
	return nil
}

// In calls f. An error that ends it begins with the name.
func In(name string, f func()) {
	if err := Catch(f); err != nil {
		Fail("%s: %w", name, err)
	}
}

// Each calls f for 0 to n-1, on as many goroutines as there are processors.
func Each(n int, f func(i int)) {
	errs := make([]error, n)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			errs[i] = Catch(func() { f(i) })
			<-slots
		})
	}
	all.Wait()
	Check(errors.Join(errs...))
}
