package command

import "time"

// maxPatterns bounds the files of patterns that are read (unit: bytes). Trades large files for
// memory. Chosen: tens of thousands of patterns.
const maxPatterns = 1 << 20

// maxTrace bounds the traces that are read (unit: bytes). Trades long traces for memory. Chosen: the
// longest recording as text.
const maxTrace = 4 << 30

// defaultReplayTimeout bounds one replay of gopredict replay (unit: time). Trades slow tests for an
// answer. Chosen: a replay that cannot go on ends long before.
const defaultReplayTimeout = time.Minute

// secondsToBuild is what each package costs a shard besides its tests (unit: seconds). Trades the
// balance of slow builds for that of slow tests. Chosen: about what linking a test takes.
const secondsToBuild = 1
