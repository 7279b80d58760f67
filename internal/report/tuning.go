package report

// SourceContext is how many lines of the program a report has before and after each place
// (unit: lines). Trades the size of a report for context. Chosen: as git diff has it.
const SourceContext = 3

// MaxAlsoBlocked bounds the other goroutines that a finding says are blocked by its bug, too (unit:
// goroutines). Trades completeness for short reports. Chosen: more of them have no new cause.
const MaxAlsoBlocked = 16

// maxJSON bounds the reports that are read (unit: bytes). Trades large reports for memory, as a
// report may be a stranger's file. Chosen: some hundred findings with the longest interleavings.
const maxJSON = 256 << 20

// maxFlow bounds the steps of a finding in SARIF (unit: steps). Trades long interleavings for
// being shown at all. Chosen: GitHub shows no more than a thousand.
const maxFlow = 1000

// maxOutputLines bounds what a report has of the output of a failed package, and maxOutputLineBytes
// each of its lines (unit: lines, bytes). Trades the beginning of long output for the size of a
// report. Chosen: the stacks of a deadlock of some goroutines fit.
const (
	maxOutputLines     = 400
	maxOutputLineBytes = 1000
)

// The following constants lay out the text for the terminal, and the page.

// defaultWidth is the width of what is written to no terminal (unit: columns). Trades cut
// expressions for lines that do not wrap. Chosen: it fits the logs of CI systems.
const defaultWidth = 100

// maxRows bounds the table of an interleaving (unit: rows). Trades steps for a table that is seen at
// once. keepHead is how many rows before a middle that is left out stay, keepTail how many after it,
// and keepSwitch how many around the last switch, if the end has none. Chosen: half a screen.
const (
	maxRows    = 20
	keepHead   = 6
	keepTail   = maxRows - keepHead - 1
	keepSwitch = 6
)

// maxPeriod bounds the rounds of loops that fold recognizes (unit: steps). Trades longer loops for
// time, which is quadratic. Chosen: few bodies of loops have more synchronization.
const maxPeriod = 8

// minColumn bounds the columns of goroutines from below (unit: columns of the terminal). If there
// are too many goroutines for it, all share a column. Chosen: "write a.balance = 1" nearly fits.
const minColumn = 18

// longName bounds the names of goroutines that a table shows in full (unit: characters). Trades full
// names for wider columns. Chosen: three levels of spawns fit.
const longName = 8

// screenLines bounds the finding that a terminal shows (unit: lines). Trades detail for a report that
// is seen without scrolling. Chosen: the least common height of terminal windows.
const screenLines = 40

// shortRows bounds the table of a finding that exceeds screenLines (unit: rows). Chosen: the switch
// before the violation is mostly among them.
const shortRows = 7

// These bound lists in the text; -predict.json has all. Trade completeness for reading (unit:
// entries). Chosen: what a reader looks at before asking for more.
const (
	maxAlsoBlockedText = 3
	maxCompleteNamed   = 5 // tests that were explored completely by one run
	maxDelayedNamed    = 3
	maxNamedTests      = 2
	maxStack           = 8
	maxPartners        = 3
	maxSkipped         = 3
	maxWarnings        = 20 // a library whose locks all tests share may have hundreds
)

// openAtFirst is how many findings a page shows opened (unit: findings). Trades clicks for the time
// to lay out a page. Chosen: a screen or two.
const openAtFirst = 10

// minLanesForLeftTexts is from how many lanes on the texts of the right ones are at their left (unit:
// lanes). Trades one reading direction for room. Chosen: by looking at pages.
const minLanesForLeftTexts = 4

// bars is the length of the bar in the status line (unit: characters). Chosen: a tenth each.
const bars = 10
