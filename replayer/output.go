package replayer

import "fmt"

// An output keeps the beginning and the end of what is written to it.
type output struct {
	head []byte
	tail []byte // at most twice as long as what is kept of the end
	lost int64  // bytes between them that were dropped
}

// Write never fails.
func (o *output) Write(p []byte) (int, error) {
	room := min(keepOutput-len(o.head), len(p))
	o.head = append(o.head, p[:room]...)
	o.tail = append(o.tail, p[room:]...)
	if len(o.tail) > 2*keepOutput {
		o.trim()
	}
	return len(p), nil
}

// trim drops all but the end of the tail.
func (o *output) trim() {
	if extra := len(o.tail) - keepOutput; extra > 0 {
		o.lost += int64(extra)
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
}

// String returns what was kept, with a line that says what was not.
func (o *output) String() string {
	o.trim()
	text := string(o.head)
	if o.lost > 0 {
		text += fmt.Sprintf("\n… %d bytes left out …\n", o.lost)
	}
	return text + string(o.tail)
}
