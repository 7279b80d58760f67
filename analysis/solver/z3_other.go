//go:build !((linux || darwin) && (amd64 || arm64))

package solver

import "errors"

// NewZ3 returns an error: Z3 cannot be loaded here.
func NewZ3(*Formula) (Engine, error) {
	return nil, errors.New("solver: Z3 can be used on Linux and macOS, on amd64 and arm64: use the built-in engine here")
}
