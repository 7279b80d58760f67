package gotool

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCrossExec(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	other := Env{GOOS: "plan9", GOARCH: "arm"}
	require.Nil(t, other.CrossExec())
	name := "go_plan9_arm_exec"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, nil, 0o777))
	require.Equal(t, []string{path}, other.CrossExec())
	own := Env{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go_"+own.GOOS+"_"+own.GOARCH+"_exec"), nil, 0o777))
	require.Nil(t, own.CrossExec())
}
