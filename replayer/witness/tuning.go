package witness

// maxFile bounds the witnesses that are read (unit: bytes). Trades long witnesses for memory that
// a file from anybody may take. Chosen: maxSteps lines of some 60 bytes.
const maxFile = 64 << 20

// maxSteps bounds how many step lines a witness may have (unit: lines). Trades the same.
// Chosen: a hundred times as many as the longest of the measured suites.
const maxSteps = 1 << 20

// maxLine bounds the lines of a witness (unit: bytes). Trades the same. Chosen: a source line is
// shorter.
const maxLine = 1 << 20

// maxSource bounds the source files that are read (unit: bytes). Trades call sites that are found
// again for memory. Chosen: generated files are shorter.
const maxSource = 64 << 20

// maxPad bounds how wide a column is made for alignment (unit: runes). A longer field shifts the
// rest of its own line only. Trades columns that are aligned for lines that are short. Chosen:
// most names of functions are shorter.
const maxPad = 44
