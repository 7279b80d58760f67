package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// decodeStuck adds what a line of meta says of a goroutine that is blocked.
func (t *Trace) decodeStuck(key, value string) error {
	if key != "stuck" {
		f := strings.Split(value, "\t")
		if len(t.Blocked) == 0 || len(f) != 3 {
			return errors.New(key + ", after stuck, with function, file and line, by tabs")
		}
		line, err := strconv.Atoi(f[2])
		if err != nil {
			return errors.New(key + " with the number of a line")
		}
		s := &t.Blocked[len(t.Blocked)-1]
		if at := (Frame{f[0], f[1], line}); key == "asked" {
			s.StartedBy = at
		} else {
			s.Stack = append(s.Stack, at)
		}
		return nil
	}
	var s BlockedGoroutine
	var ns int64
	n, err := fmt.Sscanf(value, "%s %d %d %d %x %d", &s.Proof, &s.G, &s.Op, &s.Site, &s.Obj, &ns)
	known := s.Proof == ProofDeadlock || s.Proof == ProofLeak || s.Proof == ProofLingering
	if n != 6 || err != nil || !known || !s.Op.Valid() || !t.defined(uint64(s.G)) || ns < 0 {
		return errors.New("stuck with proof, goroutine that is defined, kind, site, object and nanoseconds")
	}
	s.Duration = time.Duration(ns)
	t.Blocked = append(t.Blocked, s)
	return nil
}

// stuck writes what [Trace.decodeStuck] reads.
func (c *chunkWriter) stuck(s BlockedGoroutine) {
	c.begin(metaChunk)
	c.p = append(c.p, fmt.Sprintf("stuck %s %d %d %d %x %d\n", s.Proof, s.G, s.Op, s.Site, s.Obj, s.Duration.Nanoseconds())...)
	frame := func(key string, f Frame) {
		c.p = append(c.p, fmt.Sprintf("%s %s\t%s\t%d\n", key, f.Func, f.File, f.Line)...)
	}
	for _, f := range s.Stack {
		frame("frame", f)
	}
	if s.StartedBy != (Frame{}) {
		frame("asked", s.StartedBy)
	}
}
