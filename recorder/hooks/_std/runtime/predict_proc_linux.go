package runtime

import "unsafe"

// This file asks /proc about processes. It allocates nothing that the program could count.

// predictIsAsleep reports whether a process sleeps, with one thread and without children, by what
// /proc says; false if there is none.
func predictIsAsleep(pid int) bool {
	var buf [20]byte
	dir := "/proc/" + string(itoa(buf[:], uint64(pid)))
	children, ok := PredictRead(dir + "/task" + dir[len("/proc"):] + "/children\x00")
	if !ok || len(children) > 0 {
		return false
	}
	state, threads := predictStat(unsafe.StringData(dir + "/stat\x00"))
	return state == 'S' && threads == 1
}

// predictIsBusy reports whether a thread, which is in a system call, runs or waits for a processor or
// a disk.
func predictIsBusy(mp *m) bool {
	if mp == nil {
		return false
	}
	var digits [20]byte
	var name [48]byte // the rest is zero
	n := copy(name[:], "/proc/self/task/")
	n += copy(name[n:], itoa(digits[:], mp.procid))
	copy(name[n:], "/stat")
	state, _ := predictStat(&name[0])
	return state == 'R' || state == 'D'
}

// predictHasForeignThread reports whether the program has threads that the runtime has not started.
func predictHasForeignThread() bool {
	_, threads := predictStat(unsafe.StringData("/proc/self/stat\x00"))
	for mp := allm; mp != nil; mp = mp.alllink {
		if mp.procid != 0 && !mp.isextra {
			threads--
		}
	}
	return threads != 0
}

// predictStat returns the state of a process and the number of its threads by the file name, which
// ends with a zero byte; they are 0 and -1 if it cannot be read.
func predictStat(name *byte) (state byte, threads int) {
	var buf [1024]byte
	fd := open(name, 0, 0)
	if fd < 0 {
		return 0, -1
	}
	n := read(fd, noescape(unsafe.Pointer(&buf)), int32(len(buf)))
	closefd(fd)
	stat := buf[:max(n, 0)]
	at := len(stat) - 1
	for at >= 0 && stat[at] != ')' { // after the name, which may hold anything
		at--
	}
	if at < 0 || at+2 >= len(stat) {
		return 0, -1
	}
	const field = 20 - 2 // that of the number of threads, from the name on
	state, stat = stat[at+2], stat[at:]
	for k := 0; k < field; k++ {
		space := 0
		for space < len(stat) && stat[space] != ' ' {
			space++
		}
		if space == len(stat) {
			return 0, -1
		}
		stat = stat[space+1:]
	}
	for _, c := range stat {
		if c < '0' || c > '9' {
			break
		}
		threads = 10*threads + int(c-'0')
	}
	return state, threads
}
