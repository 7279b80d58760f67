package rewrite

// maxExprBytes bounds the expression that a site shows (unit: bytes). Trades what reports can show
// for the size of the table of sites. Chosen: what fits on a line of a report.
const maxExprBytes = 120
