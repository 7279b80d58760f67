//go:build !linux

package replayer

import (
	"errors"
	"os"
)

func inMemory() (*os.File, error) { return nil, errors.ErrUnsupported }
