package trace

// ReadConcurrentOf is ReadConcurrent with other limits, see DropAlone.
func ReadConcurrentOf(path string, long, flow int) (*Trace, error) {
	return readConcurrent(path, nil, long, flow)
}
