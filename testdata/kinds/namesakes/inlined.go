package namesakes

import (
	"sync"

	"example.com/namesakes/pool"
)

// A Job is done by two goroutines: one takes the lock, sees that the other has had
// it, and then they meet.
type Job struct {
	sync.Mutex
	wg    sync.WaitGroup
	once  sync.Once
	ready bool
	n     int
}

func (j *Job) second() bool {
	j.Lock()
	defer j.Unlock()
	return j.ready
}

// Each of these helpers is inlined where it is called, with the literals in it.

func (j *Job) start(f func()) {
	j.wg.Go(func() {
		j.Lock()
		f()
		j.Unlock()
		j.n = 1
	})
}

func (j *Job) Start() {
	j.wg.Go(func() {
		if j.second() {
			j.n = 2
		}
	})
	j.start(func() { j.ready = true })
	j.wg.Wait()
}

func (j *Job) first() {
	j.once.Do(func() {
		j.Lock()
		j.ready = true
		j.Unlock()
	})
}

func (j *Job) Once() {
	j.wg.Go(func() {
		if j.second() {
			j.n = 2
		}
	})
	j.wg.Go(func() {
		j.first()
		j.n = 1
	})
	j.wg.Wait()
}

func hand[T any](wg *sync.WaitGroup, c chan T, x T, n *int) {
	wg.Go(func() {
		c <- x
		*n = 1
	})
}

func (j *Job) Generic() {
	c := make(chan bool, 1)
	hand(&j.wg, c, true, &j.n)
	j.wg.Go(func() {
		if <-c {
			j.n = 2
		}
	})
	j.wg.Wait()
}

func (j *Job) maker() func() {
	return func() {
		func() {
			j.Lock()
			j.ready = true
			j.Unlock()
		}()
		j.n = 1
	}
}

func (j *Job) Nested() {
	j.wg.Go(func() {
		if j.second() {
			j.n = 2
		}
	})
	j.wg.Go(j.maker())
	j.wg.Wait()
}

func (j *Job) hold() func() {
	j.Lock()
	return func() { j.Unlock() }
}

func (j *Job) Deferred() {
	j.wg.Go(func() {
		if j.second() {
			j.n = 2
		}
	})
	j.wg.Go(func() {
		func() {
			defer j.hold()()
			j.ready = true
		}()
		j.n = 1
	})
	j.wg.Wait()
}

// An Owner's method has a value as its receiver.
type Owner struct{ *Job }

func (o Owner) start(f func()) {
	o.wg.Go(func() {
		o.Lock()
		f()
		o.Unlock()
		o.n = 1
	})
}

func (o Owner) Embedded() {
	o.wg.Go(func() {
		if o.second() {
			o.n = 2
		}
	})
	o.start(func() { o.ready = true })
	o.wg.Wait()
}

func starter(j *Job) func() {
	return func() {
		j.Lock()
		j.ready = true
		j.Unlock()
		j.n = 1
	}
}

var (
	global Job
	set    = starter(&global)
)

func Global() {
	global.wg.Go(func() {
		if global.second() {
			global.n = 2
		}
	})
	global.wg.Go(set)
	global.wg.Wait()
}

func (j *Job) OtherPackage() {
	var h pool.Hub
	h.Second(func() { j.n = 2 })
	h.First(func() { j.n = 1 })
	h.Wait()
}
