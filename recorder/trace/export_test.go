package trace

// ReadConcurrentOf is ReadConcurrent where a long test is one of so many events.
func ReadConcurrentOf(path string, long int) (*Trace, error) { return readConcurrent(path, long) }
