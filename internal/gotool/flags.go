package gotool

import "strings"

// A phases is a set of steps of a `go test` that a flag takes part in.
type phases uint8

const (
	// selectsFiles: the flag decides which files are compiled, or how. Commands that load
	// or vet packages need it, or they see other packages than the test.
	selectsFiles phases = 1 << iota
	// instrumentsCoverage: the flag instruments for coverage.
	instrumentsCoverage
	// writesFile: the flag names a file that the run writes.
	writesFile
	// passedToBinary: the go command passes the flag to the test binary, as -test.NAME.
	passedToBinary
)

// A flagInfo is what this package knows of a flag of go test.
type flagInfo struct {
	takesValue bool // as -name=value or -name value
	phases     phases
}

// flagGroups are the flags that `go help test`, `go help testflag` and `go help build`
// document, by what they have in common. Any other flag belongs to the test binary.
var flagGroups = []struct {
	flagInfo
	names string // separated by spaces
}{
	{flagInfo{false, 0}, "a buildvcs c json n work x"}, // buildvcs is boolean, but also takes =auto
	{flagInfo{true, 0}, "C debug-actiongraph debug-runtime-trace debug-trace exec ldflags p vet"},
	{flagInfo{false, selectsFiles}, "asan linkshared modcacherw msan race trimpath"},
	{flagInfo{true, selectsFiles}, "asmflags buildmode compiler gccgoflags gcflags installsuffix mod modfile overlay pgo pkgdir tags toolexec"},
	{flagInfo{false, instrumentsCoverage}, "cover"},
	{flagInfo{true, instrumentsCoverage}, "covermode coverpkg"},
	{flagInfo{true, writesFile}, "o"},
	{flagInfo{false, passedToBinary}, "artifacts benchmem failfast fullpath short v"},
	{flagInfo{true, passedToBinary}, "bench benchtime blockprofilerate count cpu fuzz fuzzminimizetime fuzztime list memprofilerate mutexprofilefraction outputdir parallel run shuffle skip timeout"},
	{flagInfo{true, passedToBinary | writesFile}, "blockprofile cpuprofile memprofile mutexprofile trace"},
	{flagInfo{true, passedToBinary | instrumentsCoverage | writesFile}, "coverprofile"},
}

// testFlags has the flags of flagGroups by name.
var testFlags = make(map[string]flagInfo)

func init() {
	for _, group := range flagGroups {
		for _, name := range strings.Fields(group.names) {
			testFlags[name] = group.flagInfo
		}
	}
}
