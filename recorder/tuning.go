package recorder

// maxTemporary bounds the folders for the temporary files of a package's runs whose names depend
// on the package (unit: folders). Trades readable names for the search for a free one. Chosen:
// more than anybody reads.
const maxTemporary = 100

// maxForeignBytes bounds the source of a package of another module that is instrumented (unit:
// bytes). Trades races of what is generated, as of libraries that were translated from C, for time
// to compile and to run.
const maxForeignBytes = 1 << 20
