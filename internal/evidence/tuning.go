package evidence

// maxSteps bounds the steps of an interleaving that a report has (unit: steps). Trades the
// beginning of long interleavings for reports that can be read again. Chosen: a witness may have
// a million steps, which nobody follows, and some of those exceed what report.ReadJSON reads.
const maxSteps = 1 << 14
