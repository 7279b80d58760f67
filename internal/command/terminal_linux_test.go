package command

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gopredict/gopredict/internal/gotool"
)

// terminal opens a terminal that is so wide.
func terminal(t *testing.T, width uint16) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { slave.Close() })
	return slave
}

// A terminal gets a screen as wide as it is, with colours unless it or its user has none; a file
// gets the same text everywhere.
func TestTerminal(t *testing.T) {
	tty := terminal(t, 97)
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	o := textOptions(tty, gotool.Env{})
	assert.True(t, o.Screen && o.Color)
	assert.Equal(t, 97, o.Width)
	t.Setenv("NO_COLOR", "1")
	o = textOptions(tty, gotool.Env{})
	assert.True(t, o.Screen && !o.Color)
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	assert.False(t, textOptions(tty, gotool.Env{}).Color)

	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	t.Setenv("TERM", "xterm")
	o = textOptions(file, gotool.Env{})
	assert.False(t, o.Screen || o.Color)
	assert.Zero(t, o.Width)
}
