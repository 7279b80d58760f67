package report

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/gopredict/gopredict/internal/given"
)

// A Status is one line at the bottom of a terminal that says what gopredict is
// doing. Where the output is not a terminal it writes nothing. Its methods may
// be called from several goroutines.
type Status struct {
	mu    sync.Mutex
	f     *os.File // nil: not a terminal
	start time.Time
	text  string
	shown bool
	stop  chan struct{}
	done  chan struct{}
}

// NewStatus returns a status line on f, usually os.Stderr. It ticks, for the
// time to go on, until Close.
func NewStatus(f *os.File) *Status {
	s := &Status{start: time.Now()}
	if !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return s
	}
	s.f, s.stop, s.done = f, make(chan struct{}), make(chan struct{})
	go s.tick()
	return s
}

func (s *Status) tick() {
	defer close(s.done)
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			if s.shown {
				s.draw()
			}
			s.mu.Unlock()
		}
	}
}

// Shown reports whether there is such a line.
func (s *Status) Shown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.f != nil
}

// Set shows a phase and what there is to count in it: Set("replaying", "3 of
// 9 witnesses, 1 confirmed").
func (s *Status) Set(phase, counts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = given.Line(phase)
	if counts != "" {
		s.text += ": " + counts
	}
	s.draw()
}

// Clear erases the line; it comes again with the next Set. Call it before
// other output to the same terminal.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// Close erases the line for good.
func (s *Status) Close() {
	s.mu.Lock()
	s.erase()
	stop := s.stop
	s.f, s.stop = nil, nil
	s.mu.Unlock()
	if stop != nil {
		close(stop)
		<-s.done
	}
}

func (s *Status) erase() {
	if s.f != nil && s.shown {
		fmt.Fprint(s.f, "\r\x1b[K")
		s.shown = false
	}
}

func (s *Status) draw() {
	if s.f == nil {
		return
	}
	width, _, err := term.GetSize(int(s.f.Fd()))
	if err != nil || width <= 1 {
		width = defaultWidth
	}
	fmt.Fprint(s.f, "\r\x1b[K"+statusLine(s.text, time.Since(s.start), width-1))
	s.shown = true
}

// statusLine is the line's text, which must not wrap.
func statusLine(text string, elapsed time.Duration, width int) string {
	clock := fmt.Sprintf("  %.0fs", elapsed.Truncate(time.Second).Seconds())
	return clip("gopredict: "+text, max(width-len(clock), 1)) + clock
}
