//go:build linux && !amd64

package syscall

const predictSelect, predictPoll = SYS_PSELECT6, SYS_PPOLL
