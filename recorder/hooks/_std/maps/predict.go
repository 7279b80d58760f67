package maps

import _ "unsafe" // for linkname

// predictSeed is the hash seed of a new map.
//
//go:linkname predictSeed
func predictSeed() uint64

// predictIter says where an iteration begins.
//
//go:linkname predictIter
func predictIter() uint64
