package known

// maxBaseline bounds the baselines that are read (unit: bytes). Trades large files for memory.
// Chosen: hundreds of thousands of bugs.
const maxBaseline = 64 << 20

// maxSource bounds the source files whose comments are read (unit: bytes). Trades large files for
// memory. Chosen: larger than what generators write.
const maxSource = 64 << 20
