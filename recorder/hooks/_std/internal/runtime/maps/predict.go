package maps

import "unsafe" // also for linkname

// PredictWriting, if not nil, is called in the middle of each write to a map m.
var PredictWriting func(m unsafe.Pointer)

// predictSeed is the hash seed of a new map.
//
//go:linkname predictSeed
func predictSeed() uint64

// predictIter returns where an iteration begins.
//
//go:linkname predictIter
func predictIter() uint64
