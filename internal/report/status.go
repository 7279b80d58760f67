package report

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/gopredict/gopredict/internal/untrusted"
)

// A Status is one line at the bottom of a terminal that says what gopredict is doing. If the output
// is no terminal it writes nothing. It is safe for concurrent use.
type Status struct {
	mu    sync.Mutex
	f     *os.File // nil: not a terminal
	start time.Time
	text  string
	count *progress // the progress of the phase; nil: it is not counted
	shown bool
	stop  chan struct{}
	done  chan struct{}
}

// NewStatus returns a status line on f, usually os.Stderr. It shows the time that has passed, until
// Close.
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
func (s *Status) IsShown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.f != nil
}

// Set shows a phase and its counts: Set("replaying", "3 of 9 witnesses, 1 confirmed").
func (s *Status) Set(phase, counts string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.count = untrusted.Line(phase), nil
	if counts != "" {
		s.text += ": " + counts
	}
	s.draw()
}

// Count shows the progress of a phase, with its rate and the time left: how many items were begun,
// and the total, 0 if that is not known. Count("replaying", "example.com/bank", 3, 9,
// "1 confirmed").
func (s *Status) Count(phase, of string, begun, total int, more string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &progress{subject: untrusted.Line(of), begun: begun, total: total, details: more, since: time.Now()}
	if phase = untrusted.Line(phase); s.count != nil && s.text == phase && s.count.subject == c.subject {
		c.since = s.count.since
	}
	s.text, s.count = phase, c
	s.draw()
}

// A progress is the progress of a phase.
type progress struct {
	subject      string
	begun, total int
	details      string
	since        time.Time
}

// text returns the text of c after some time. The part that may be long is last.
func (c *progress) text(elapsed time.Duration) string {
	parts := []string{fmt.Sprint(c.begun)}
	if c.total > 0 {
		full := c.begun * bars / max(c.total, c.begun)
		parts[0] = fmt.Sprintf("%s%s %d of %d", strings.Repeat("█", full), strings.Repeat("░", bars-full), c.begun, c.total)
	}
	if c.details != "" {
		parts = append(parts, c.details)
	}
	if done := c.begun - 1; done > 0 && elapsed >= time.Second {
		rate := float64(done) / elapsed.Seconds()
		format := "%.1f/s"
		if rate >= 10 {
			format = "%.0f/s"
		}
		parts = append(parts, fmt.Sprintf(format, rate))
		if c.total > 0 {
			left := time.Duration(float64(c.total-done) / rate * float64(time.Second))
			parts = append(parts, left.Round(time.Second).String()+" left")
		}
	}
	if c.subject != "" {
		parts = append(parts, c.subject)
	}
	return strings.Join(parts, ", ")
}

// Clear erases the line until the next Set. Call it before other output to the same terminal.
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
	text := s.text
	if s.count != nil {
		text += " " + s.count.text(time.Since(s.count.since))
	}
	fmt.Fprint(s.f, "\r\x1b[K"+statusLine(text, time.Since(s.start), width-1))
	s.shown = true
}

// statusLine returns the text of the line, cut so that it does not wrap.
func statusLine(text string, elapsed time.Duration, width int) string {
	clock := fmt.Sprintf("  %.0fs", elapsed.Truncate(time.Second).Seconds())
	return clip("gopredict: "+text, max(width-len(clock), 1)) + clock
}
