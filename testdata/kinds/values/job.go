// Package job runs a job that others can pause, reset and watch.
package job

import (
	"errors"
	"sync"
)

// ErrStopped is the error of a job that was stopped.
var ErrStopped = errors.New("stopped")

// A State is what a job does.
type State string

// A Sink gets what a job has to say.
type Sink interface{ Put(line string) }

// A Job is what the fields say, which its lock guards.
type Job struct {
	mu    sync.Mutex
	state State
	err   error
	sink  Sink // nil: closed
}

// State returns what the job does.
func (j *Job) State() State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state
}

// Run does the job.
func (j *Job) Run() {
	j.mu.Lock()
	j.state = "running"
	j.mu.Unlock()
	j.mu.Lock()
	j.state = "done"
	j.mu.Unlock()
}

// Pause holds the job for a moment.
func (j *Job) Pause() {
	before := j.State()
	j.mu.Lock()
	j.state = "paused"
	j.mu.Unlock()
	j.mu.Lock()
	j.state = before
	j.mu.Unlock()
}

// Err returns why the job was stopped, nil if it was not.
func (j *Job) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Reset makes the job ready to run.
func (j *Job) Reset() {
	j.mu.Lock()
	j.err = nil
	j.mu.Unlock()
}

// Stop stops the job.
func (j *Job) Stop() {
	j.mu.Lock()
	j.err = ErrStopped
	j.mu.Unlock()
}

func (j *Job) sinkNow() Sink {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sink
}

// Say tells the sink something, if there is one.
func (j *Job) Say(line string) {
	if j.sinkNow() != nil {
		j.sinkNow().Put(line)
	}
}

// Close closes the sink.
func (j *Job) Close() {
	j.mu.Lock()
	j.sink = nil
	j.mu.Unlock()
}
