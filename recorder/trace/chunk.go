package trace

import (
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	magic      = "GPTRACE1"
	headerSize = 16
	maxPayload = 16 << 20
)

// A chunkType is the first byte of a chunk.
type chunkType uint8

const (
	metaChunk      chunkType = 'M'
	eventChunk     chunkType = 'E'
	goroutineChunk chunkType = 'G'
	callSiteChunk  chunkType = 'S'
	nameChunk      chunkType = 'N'
	siteChunk      chunkType = 'R'
	scopeChunk     chunkType = 'C'
	endChunk       chunkType = 'X'
)

func (c chunkType) known() bool { return strings.IndexByte("MEGSNRCX", byte(c)) >= 0 }

const (
	sumOffset = 14695981039346656037
	sumPrime  = 1099511628211
)

// checksum returns the checksum of a chunk's payload; see the package doc.
func checksum(p []byte) uint64 {
	lanes := [4]uint64{sumOffset, sumOffset, sumOffset, sumOffset}
	for ; len(p) >= 32; p = p[32:] {
		for i := range lanes {
			lanes[i] = (lanes[i] ^ binary.LittleEndian.Uint64(p[8*i:])) * sumPrime
		}
	}
	for i := 0; len(p) > 0; i++ {
		var word [8]byte
		n := copy(word[:], p)
		lanes[i] = (lanes[i] ^ binary.LittleEndian.Uint64(word[:])) * sumPrime
		p = p[n:]
	}
	h := uint64(sumOffset)
	for _, l := range lanes {
		h = (h ^ l) * sumPrime
	}
	return h
}

// CallSiteKey returns the [Site.Key] of a call site: the 64-bit FNV-1a hash of the function's
// name, a colon and the line in decimal, with the top bit set so that it differs from the key of
// each site that the rewriter made. The run-time library computes the same.
func CallSiteKey(fn string, line int) uint64 {
	h := uint64(sumOffset)
	for _, b := range []byte(fmt.Sprintf("%s:%d", fn, line)) {
		h = (h ^ uint64(b)) * sumPrime
	}
	return h | 1<<63
}

// A FormatError says where a trace file does not follow the format.
type FormatError struct {
	File     string // "" if the source is not a file
	Offset   int64  // in bytes from the start; in the text forms the line, from 1
	Expected string
	Found    string
	text     bool
}

func (e *FormatError) Error() string {
	where := fmt.Sprintf("byte %d", e.Offset)
	if e.text {
		where = fmt.Sprintf("line %d", e.Offset)
	}
	if e.File != "" {
		where = e.File + ": " + where
	}
	return fmt.Sprintf("trace: %s: expected %s, found %s", where, e.Expected, e.Found)
}
