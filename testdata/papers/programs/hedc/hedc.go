// Package hedc is the kernel of ETH's crawler of astrophysical archives: a search
// is a task for each archive on a pool of workers, and who has searched cancels
// those that have not answered in time. As there, a task knows the worker that
// runs it, without a lock.
package hedc

import (
	"strings"
	"sync"
	"time"
)

// An Archive answers searches, page by page.
type Archive struct {
	pages []string
	delay time.Duration // of each page
}

// find returns the lines that have a word, of the pages until w is interrupted.
func (a *Archive) find(word string, w *Worker) (lines []string) {
	for k := 0; k < len(a.pages) && !w.stopped(); k++ {
		time.Sleep(a.delay)
		for line := range strings.Lines(a.pages[k]) {
			if strings.Contains(line, word) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// A Search is for a word, in some archives.
type Search struct {
	word  string
	tasks []*Task

	mu    sync.Mutex
	lines []string // written under mu
	open  int      // tasks without an answer; written under mu
}

// add adds what one task has found.
func (s *Search) add(lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, lines...)
	s.open--
}

// Wait waits for the answers, but not for long, and returns how many lines there
// are.
func (s *Search) Wait(ticks int) int {
	for ; ticks > 0 && s.open > 0; ticks-- {
		time.Sleep(2 * time.Millisecond)
	}
	for _, t := range s.tasks {
		t.cancel()
	}
	return len(s.lines)
}

// A Task is the part of a search that one archive does.
type Task struct {
	archive *Archive
	search  *Search

	mu        sync.Mutex
	cancelled bool    // written under mu
	worker    *Worker // nil but while it runs
}

func (t *Task) run(w *Worker) {
	t.worker = w
	if !t.cancelled {
		t.search.add(t.archive.find(t.search.word, w))
	}
	t.worker = nil
}

func (t *Task) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cancelled = true
	if t.worker != nil {
		t.worker.interrupt()
	}
}

// A Worker runs tasks.
type Worker struct {
	mu          sync.Mutex
	interrupted bool // guarded by mu
}

func (w *Worker) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.interrupted = true
}

func (w *Worker) stopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.interrupted
}

// clear gets the worker ready for its next task.
func (w *Worker) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.interrupted = false
}

// A Pool has workers, and the tasks that wait for one.
type Pool struct {
	mu      sync.Mutex
	changed sync.Cond
	tasks   []*Task // guarded by mu
	closed  bool    // guarded by mu
	workers sync.WaitGroup
	done    int // tasks
}

// NewPool returns a pool of n workers.
func NewPool(n int) *Pool {
	p := new(Pool)
	p.changed.L = &p.mu
	for range n {
		p.workers.Go(p.work)
	}
	return p
}

func (p *Pool) work() {
	w := new(Worker)
	for t := p.take(); t != nil; t = p.take() {
		w.clear()
		t.run(w)
		p.done++
	}
}

// take waits for a task; there is none when the pool is closed.
func (p *Pool) take() *Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.tasks) == 0 && !p.closed {
		p.changed.Wait()
	}
	if len(p.tasks) == 0 {
		return nil
	}
	t := p.tasks[0]
	p.tasks = p.tasks[1:]
	return t
}

// Search starts a search.
func (p *Pool) Search(word string, archives []*Archive) *Search {
	s := &Search{word: word, open: len(archives)}
	for _, a := range archives {
		s.tasks = append(s.tasks, &Task{archive: a, search: s})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, s.tasks...)
	p.changed.Broadcast()
	return s
}

// Close waits for the workers.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.workers.Wait()
}
