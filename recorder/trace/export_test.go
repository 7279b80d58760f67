package trace

// ReadConcurrentOf is ReadConcurrent with other limits, see DropAlone, and the sites of a build.
func ReadConcurrentOf(path string, long, flow int, sites ...Site) (*Trace, error) {
	return readConcurrent(path, NewSiteTable(sites), long, flow)
}
