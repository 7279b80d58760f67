//go:build !unix

package testenv

// umask does nothing here: there is none.
func umask() {}
