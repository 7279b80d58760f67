//go:build (linux || darwin) && (amd64 || arm64) && !noz3

package z3

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMissingLibrarySaysWhatToInstall(t *testing.T) {
	_, err := load([]string{"libz3-nowhere.so", "libz3-neither.so"})
	require.ErrorContains(t, err, "libz3-nowhere.so")
	require.ErrorContains(t, err, "libz3-neither.so")
	require.ErrorContains(t, err, "apt-get install libz3-4")
	require.NotContains(t, err.Error(), "\n")
}

func TestLibraryOfAnotherKindIsRefused(t *testing.T) {
	_, err := load([]string{"libc.so.6", "libSystem.dylib"})
	require.ErrorContains(t, err, "expected Z3's library with a function Z3_get_version")
	require.ErrorContains(t, err, "install that version or a later one")
}

func TestOldLibraryIsRefused(t *testing.T) {
	version := func(major, minor, build uint32) *api {
		return &api{GetVersion: func(a, b, c, d *uint32) { *a, *b, *c, *d = major, minor, build, 0 }}
	}
	for _, old := range [][3]uint32{{3, 12, 20}, {4, 7, 20}, {4, 8, 11}} {
		require.ErrorContains(t, version(old[0], old[1], old[2]).checkVersion(), "expected Z3 4.8.12 or later, found ")
	}
	require.ErrorContains(t, version(4, 8, 7).checkVersion(), "found 4.8.7: install a newer one")
	for _, good := range [][3]uint32{{4, 8, 12}, {4, 8, 13}, {4, 13, 0}, {5, 0, 0}} {
		require.NoError(t, version(good[0], good[1], good[2]).checkVersion())
	}
}
