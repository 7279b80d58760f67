package runtime

// predictIsAsleep reports whether a process sleeps, with one thread and without children, by what
// /proc says; false if there is none.
func predictIsAsleep(pid int) bool {
	var buf [20]byte
	dir := "/proc/" + string(itoa(buf[:], uint64(pid)))
	children, ok := PredictRead(dir + "/task" + dir[len("/proc"):] + "/children\x00")
	if !ok || len(children) > 0 {
		return false
	}
	stat, ok := PredictRead(dir + "/stat\x00")
	at := len(stat) - 1
	for at >= 0 && stat[at] != ')' { // after the name, which may hold anything
		at--
	}
	if !ok || at+2 >= len(stat) || stat[at+2] != 'S' {
		return false
	}
	const threads = 20 - 2 // fields from the name to the number of threads
	field := 0
	for i := at; i < len(stat); i++ {
		if stat[i] != ' ' {
			continue
		}
		if field++; field == threads {
			return i+2 < len(stat) && stat[i+1] == '1' && stat[i+2] == ' '
		}
	}
	return false
}
