package replayer

import (
	"fmt"
	"io"
)

// An output keeps the beginning and the end of what is written to it.
type output struct {
	head []byte
	tail []byte // ring, full once lost or start is set
	at   int    // where the next byte goes in a full ring
	lost int64  // bytes that were overwritten
}

// Write never fails.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	if room := keepOutput - len(o.head); room > 0 {
		k := min(room, len(p))
		o.head = append(o.head, p[:k]...)
		p = p[k:]
	}
	if extra := len(p) - keepOutput; extra > 0 { // overwritten by the rest of p
		o.lost += int64(extra)
		p = p[extra:]
	}
	if room := keepOutput - len(o.tail); room > 0 {
		k := min(room, len(p))
		o.tail = append(o.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(o.tail[o.at:], p)
		o.lost += int64(k)
		o.at = (o.at + k) % keepOutput
		p = p[k:]
	}
	return n, nil
}

// ReadFrom is Write for all of r, with less memory than what copies take otherwise:
// a replay prints little.
func (o *output) ReadFrom(r io.Reader) (int64, error) {
	var all int64
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		all += int64(n)
		_, _ = o.Write(buf[:n])
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// String returns what was kept, with a line that says what was not.
func (o *output) String() string {
	s := string(o.head)
	if o.lost > 0 {
		s += fmt.Sprintf("\n… %d bytes left out …\n", o.lost)
	}
	return s + string(o.tail[o.at:]) + string(o.tail[:o.at])
}
