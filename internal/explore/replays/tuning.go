package replays

import "time"

// maxConcurrentSteps bounds the steps of the witnesses that are replayed concurrently (unit: steps
// of about 200 bytes). Trades memory for time: a witness may have a million steps. Chosen:
// 200 MB.
const maxConcurrentSteps = 1 << 20

// maxWholeSteps bounds the schedules that are replayed with all steps (unit: steps). Trades
// memory and the time of a replay for bugs that need the whole order. Chosen: 50 MB.
const maxWholeSteps = 1 << 18

// LongWitnessSteps bounds from below the witnesses that are worth replays to make them shorter
// (unit: steps, or goroutines that are held). Trades replays for short witnesses. Chosen: a
// screen of text.
const LongWitnessSteps = 20

// maxShortenedSteps bounds from above the schedules that are made shorter (unit: steps). Trades
// replays for short witnesses: on a longer way the other goroutines nearly always matter.
// Chosen: by the subjects.
const maxShortenedSteps = 300

// timeAfterDivergence is how long a program goes on that has left its schedule, where its end does not
// count because the schedule is one of several (unit: time). Trades bugs of slow programs
// for time. Chosen: by the subjects.
const timeAfterDivergence = 500 * time.Millisecond
