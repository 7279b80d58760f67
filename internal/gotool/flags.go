package gotool

// phase says which steps of a `go test` a flag takes part in.
type phase uint8

const (
	// selects: the flag decides which files are compiled, or how. Loading and
	// vetting must be told, or they see other packages than the test.
	selects phase = 1 << iota
	// covers: the flag instruments for coverage.
	covers
	// writes: the flag names a file that the run writes.
	writes
	// runs: the flag is handed on to the test binary, as -test.NAME.
	runs
)

// flagInfo is one row of the table of go test's flags.
type flagInfo struct {
	value bool // takes a value, as -name=value or -name value
	phase phase
}

// testFlags are the flags that `go help test`, `go help testflag` and
// `go help build` document. What is not here belongs to the test binary.
var testFlags = map[string]flagInfo{
	"C": {value: true},

	// Build flags.
	"a":                   {},
	"asan":                {phase: selects},
	"asmflags":            {value: true, phase: selects},
	"buildmode":           {value: true, phase: selects},
	"buildvcs":            {}, // a bool flag that also takes =auto
	"compiler":            {value: true, phase: selects},
	"debug-actiongraph":   {value: true},
	"debug-runtime-trace": {value: true},
	"debug-trace":         {value: true},
	"gccgoflags":          {value: true, phase: selects},
	"gcflags":             {value: true, phase: selects},
	"installsuffix":       {value: true, phase: selects},
	"ldflags":             {value: true},
	"linkshared":          {phase: selects},
	"mod":                 {value: true, phase: selects},
	"modcacherw":          {phase: selects},
	"modfile":             {value: true, phase: selects},
	"msan":                {phase: selects},
	"n":                   {},
	"overlay":             {value: true, phase: selects},
	"p":                   {value: true},
	"pgo":                 {value: true, phase: selects},
	"pkgdir":              {value: true, phase: selects},
	"race":                {phase: selects},
	"tags":                {value: true, phase: selects},
	"toolexec":            {value: true, phase: selects},
	"trimpath":            {phase: selects},
	"work":                {},
	"x":                   {},

	// Flags of go test itself.
	"c":         {},
	"cover":     {phase: covers},
	"covermode": {value: true, phase: covers},
	"coverpkg":  {value: true, phase: covers},
	"exec":      {value: true},
	"json":      {},
	"o":         {value: true, phase: writes},
	"vet":       {value: true},

	// Flags for the test binary.
	"artifacts":            {phase: runs},
	"bench":                {value: true, phase: runs},
	"benchmem":             {phase: runs},
	"benchtime":            {value: true, phase: runs},
	"blockprofile":         {value: true, phase: runs | writes},
	"blockprofilerate":     {value: true, phase: runs},
	"count":                {value: true, phase: runs},
	"coverprofile":         {value: true, phase: runs | covers | writes},
	"cpu":                  {value: true, phase: runs},
	"cpuprofile":           {value: true, phase: runs | writes},
	"failfast":             {phase: runs},
	"fullpath":             {phase: runs},
	"fuzz":                 {value: true, phase: runs},
	"fuzzminimizetime":     {value: true, phase: runs},
	"fuzztime":             {value: true, phase: runs},
	"list":                 {value: true, phase: runs},
	"memprofile":           {value: true, phase: runs | writes},
	"memprofilerate":       {value: true, phase: runs},
	"mutexprofile":         {value: true, phase: runs | writes},
	"mutexprofilefraction": {value: true, phase: runs},
	"outputdir":            {value: true, phase: runs},
	"parallel":             {value: true, phase: runs},
	"run":                  {value: true, phase: runs},
	"short":                {phase: runs},
	"shuffle":              {value: true, phase: runs},
	"skip":                 {value: true, phase: runs},
	"timeout":              {value: true, phase: runs},
	"trace":                {value: true, phase: runs | writes},
	"v":                    {phase: runs},
}
