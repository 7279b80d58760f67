package os

import "runtime"

// predictStarted reports the result of starting a process, and returns it.
func predictStarted(p *Process, err error) (*Process, error) {
	runtime.PredictProcessStarted(err == nil)
	return p, err
}

// predictWaited reports the result of waiting for a process, and returns it.
func predictWaited(s *ProcessState, err error) (*ProcessState, error) {
	runtime.PredictProcessEnded(err == nil)
	return s, err
}
