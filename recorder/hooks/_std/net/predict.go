//go:build unix || windows

package net

import (
	"predictrt"
	"runtime"
	"syscall"
)

// predictAddresses reports the addresses of fd.
func predictAddresses(fd *netFD, laddr, raddr Addr) {
	if predictrt.Mode == 0 || laddr == nil {
		return
	}
	runtime.PredictPin() // the names are the recorder's
	defer runtime.PredictUnpin()
	if raddr != nil {
		predictrt.SocketConnected(int(fd.pfd.Sysfd), laddr.String(), raddr.String())
	} else if fd.sotype == syscall.SOCK_STREAM {
		predictrt.SocketListens(int(fd.pfd.Sysfd), predictQueueName(laddr))
	} else {
		runtime.PredictUseNetwork()
	}
}

// predictQueueName returns the name of the queue of connections to an address.
func predictQueueName(addr Addr) string {
	if a, ok := addr.(*TCPAddr); ok && a.IP.IsUnspecified() {
		return predictPortName(a.Port)
	}
	return addr.String()
}

func predictPortName(port int) string { return (&TCPAddr{Port: port}).String() }

// predictBeforeConnect is called before fd requests a connection.
func predictBeforeConnect(fd *netFD, addr syscall.Sockaddr, pc uintptr) {
	if predictrt.Mode == 0 {
		return
	}
	if fd.sotype != syscall.SOCK_STREAM {
		runtime.PredictUseNetwork()
		return
	}
	runtime.PredictPin()
	a := fd.addrFunc()(addr)
	var names []string
	if a != nil {
		names = append(names, a.String())
	}
	if a, ok := a.(*TCPAddr); ok {
		names = append(names, predictPortName(a.Port))
	}
	runtime.PredictUnpin()
	predictrt.BeforeConnect(names, pc)
}

// predictAccepted is called when a listener has accepted a connection.
func predictAccepted(fd *netFD, pc uintptr) {
	if predictrt.Mode == 0 || fd.laddr == nil {
		return
	}
	runtime.PredictPin()
	name := predictQueueName(fd.laddr)
	runtime.PredictUnpin()
	predictrt.ConnectionAccepted(name, pc)
}
