// Package trace is the event model of a recorded test run: the kinds of events
// ([Kind], declared in one table), the trace in memory ([Trace]), its file
// format ([Decode], [Encode], [AppendSites]), its text form ([ReadText],
// [WriteText]), the exchange format of the RAPID tool ([ReadRAPID],
// [WriteRAPID]), and the test whether a trace is a legal execution
// ([Validate]).
//
// The run-time library inside the tested program writes traces, the recorder
// adds the rewriter's sites to them, and every analysis starts from them.
//
// # The file format, version 1
//
// All numbers are little endian. A string is its length in bytes as a uint16,
// then the bytes. A file is the 8 bytes "GPTRACE1" (the digit is the version)
// and then chunks without gaps. A chunk is a 16-byte header and a payload:
//
//	type     uint8    a letter of the table below
//	zero     [3]byte
//	length   uint32   bytes of payload, at most 16 MiB
//	checksum uint64   of the payload
//
// The checksum takes the payload as 8-byte words, the last one padded with
// zeros, and deals them out to four hashes in turn, each of which starts with
// h = 14695981039346656037 and for a word w becomes h = (h ^ w) * 1099511628211
// modulo 2^64. A fifth one takes the four results for words. It is FNV-1a with
// words in place of bytes, and four multiplications that need not wait for each
// other: the machine of the tested program pays for it.
//
//	'M'  meta: lines "key value\n" with the keys go, dir, binary; in further
//	     such chunks limit, where recording stopped after that many bytes of
//	     events, before packing: none follow, and no 'X'; and cut, with the
//	     value "accesses TEST" or "sync TEST": see [Cut]; and unseen, with
//	     the value "length TEST", likewise clock, files, random, maps and more: see [HiddenInput]; and tested, with action, test, and the output or nanoseconds of
//	     a [TestEvent]; and text, with a
//	     hexadecimal digest and what stands between the quotes of a Go string:
//	     see [Trace.ValueTexts]; and stuck, with proof, goroutine, kind, site, object
//	     (hexadecimal) and nanoseconds of a [BlockedGoroutine], and after it for each place
//	     in its stack frame, and asked for its StartedBy, with function, file and line by
//	     tabs, and turns with the value timers if it has Turns
//	'E'  events, packed as described below
//	'G'  goroutines: id uint32, parent uint32, site uint32, test string,
//	     path string. A later definition of an id replaces the earlier one:
//	     the goroutine of a top-level test is renamed when the test begins.
//	'S'  call sites: id uint32, key uint64, line uint32, func string,
//	     file string
//	'N'  test names: id uint32, name string
//	'R'  the rewriter's sites, appended by [AppendSites] after the run:
//	     id uint32, key uint64, line uint32, col uint32, flags uint8 (1: Data,
//	     2: Update, 4: Tracked, 8: Fails IfFalse, 16: Fails IfTrue, 32: a
//	     formula follows, 64: a type does, 128: Stops), func, file, op, expr strings,
//	     formula string, type uint8
//	'C'  control scopes of such sites: id uint32, last line uint32, flags uint8 (1: IfTrue,
//	     2: IfFalse, 4: Calls); see [Scope]
//	'X'  end: no payload. The run ended in an orderly way. Only 'R' and 'C' chunks may
//	     follow.
//
// # Events
//
// The events of a trace are packed: reader and writer foresee each from those
// before, and the file holds what they cannot. A place (the site) and a head
//
//	kind uint8, flags uint8, size uint16 (65535: a uint32 follows)
//
// have a guess: the obj and val of their last event, and the steps of both, which
// are what they were above those of the event before it. There are 4096 guesses;
// that of a place and head has the number
// ((site XOR head*0x9e3779b1)*0x85ebca6b) >> 20, in 32 bits. Each also knows
// which one came next when its val was even and when it was odd, as a branch
// says by its val where it goes, and so foretells place and head. All numbers are
// zero at first, and the guesses last from chunk to chunk.
//
// The record of an event is a control byte and what that calls for:
//
//	bit  0     0: site uint32 and head follow; 1: they are those foretold
//	bits 1–3   0: obj is that of the guess; 1: that plus its step; 2: it is the
//	           obj of the event before; 3: the val of the event before; 4, 5, 6: it
//	           differs from that of 0, 2, 3 by a number that follows, as a
//	           zigzag varint
//	bits 4–7   0: val is that of the guess; 1 to 8: its lower 1 to 8 bytes
//	           follow; 9 to 14: its upper 1 to 6 bytes follow; the other ones
//	           are zero; 15: it is that of the guess plus its step
//
// in the order head, size, obj, val. A record with the head 0 is no event: its
// place is the number of the goroutine whose events follow, up to the next such
// record. One comes before the first event of each 'E' chunk. A record with the
// kind 63 is no event either: it says that memory was given back, see [FreedObjects],
// with Which as its val. One with the kind 62 tells what the event that follows, a
// write, finds in memory, see [PriorValue]; before any other event it says nothing.
// One with the kind 61 tells of an object that was made, see [Allocation]: its val is
// the number of the goroutine and, in the upper half, the type.
//
// Payloads of 'G', 'S', 'N', 'R' and 'C' hold any number of definitions. Goroutines
// and test names are defined before the first 'E' chunk that uses them. A
// definition never spans chunks.
//
// A program that crashes or is killed leaves a file without 'X', perhaps cut
// off inside a chunk. That is no error: [Decode] returns all whole chunks and
// leaves [Trace.Complete] unset. Anything else that does not fit (a checksum,
// an unknown type, a number out of range) is damage: [Decode] returns a
// [*FormatError] together with everything before it.
//
// # What the kinds mean
//
// The table in kind.go, and docs/events.md, say what Obj, Val and Size of each kind
// hold: [Kind.Spec]. The text form of a trace has one line an event:
//
//	3 write obj=0xc000012340 size=8 val=5 site=0x80000012 value # TestT:0.1 bank.go:17 a.sum
//
// that is the goroutine, the kind, the fields that are not zero, the flags,
// and a comment for the human reader. A line "held val=7" before that of a write says
// what was there.
package trace
