package replays

import "time"

// maxConcurrentSteps bounds the steps of the witnesses that are replayed concurrently (unit: steps
// of about 200 bytes). Trades memory for time: a witness may have a million steps. Chosen:
// 200 MB.
const maxConcurrentSteps = 1 << 20

// maxWholeSteps bounds the schedules that are replayed with all steps (unit: steps). Trades
// memory and the time of a replay for bugs that need the whole order. Chosen: 50 MB.
const maxWholeSteps = 1 << 18

// LongWitnessSteps is the number of steps or held goroutines from which on a witness is long,
// and worth replays to shorten it (unit: steps or goroutines). Trades replays for short
// witnesses. Chosen: a screen of text.
const LongWitnessSteps = 20

// maxShortenedSteps bounds the schedules that are shortened (unit: steps). Trades replays for
// short witnesses: in longer ones the other goroutines nearly always matter. Chosen: by the
// subjects.
const maxShortenedSteps = 300

// timeAfterDivergence is how long a program may go on that has left its schedule, where its
// end does not matter because there are other schedules (unit: time). Trades bugs of slow
// programs for time. Chosen: by the subjects.
const timeAfterDivergence = 500 * time.Millisecond
