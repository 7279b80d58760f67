//go:build !((linux || darwin) && (amd64 || arm64)) || noz3

package z3

import "errors"

// library returns an error: Z3 cannot be loaded here, or by a program that is built
// to be linked statically (see docs/command.md).
func library() (*api, error) {
	return nil, errors.New("Z3 can be used on Linux and macOS, on amd64 and arm64, where gopredict is not built with -tags noz3: use the built-in engine here")
}
