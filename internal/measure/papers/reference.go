package main

// A published is a row of a paper's table, with its own words for numbers; ""
// is what it does not give.
type published struct {
	by                                    string
	goroutines, locations, events         string
	candidates, unlocked, unordered, open string
	confirmed, exceptions, failed         string
	search, schedule                      string
}

// pecan is a row of Table 1 of Huang and Zhang: races, atomicity violations and
// those of atomic sets are its candidates.
func pecan(goroutines, locations, events, candidates, confirmed, exceptions, failed, search, schedule string) published {
	return published{by: "PECAN", goroutines: goroutines, locations: locations, events: events, candidates: candidates,
		confirmed: confirmed, exceptions: exceptions, failed: failed, search: search, schedule: schedule}
}

const ucg = "UCG"

// graphs is a row of Table 1 of Kahlon and Wang: races and atomicity violations.
// Their tiers, but for the last, are applied one by one and not one after the other.
func graphs(goroutines, events, candidates, unlocked, unordered, open, confirmed string) published {
	return published{by: ucg, goroutines: goroutines, events: events, candidates: candidates,
		unlocked: unlocked, unordered: unordered, open: open, confirmed: confirmed}
}

// witnesses is a row of Table 3 of Said and others: races.
func witnesses(goroutines, locations, events, unlocked, unordered, confirmed string) published {
	return published{by: "NFM'11", goroutines: goroutines, locations: locations, events: events,
		unlocked: unlocked, unordered: unordered, confirmed: confirmed}
}

// papers are the papers' rows by program.
var papers = map[string][]published{
	"account": {
		pecan("3", "4", "66", "7 + 2 + 6", "15", "8", "0", "6 ms", "7 ms"),
		graphs("11", "902", "372 + 140", "342 + 140", "186 + 60", "162 + 60", "20 + 2"),
		witnesses("6", "17", "336", "125", "45", "4"),
	},
	"buggyprogram":               {pecan("4", "5", "225", "9 + 1 + 0", "10", "1", "0", "12 ms", "8 ms")},
	"critical":                   {pecan("3", "1", "19", "16 + 14 + 0", "28", "2", "0", "2 ms", "2 ms")},
	"loader":                     {pecan("4", "1", "48", "2 + 4 + 0", "5", "1", "0", "4 ms", "8 ms")},
	"manager":                    {pecan("5", "3", "158", "15 + 0 + 0", "14", "1", "1", "30 ms", "14 ms")},
	"mergesort":                  {pecan("6", "2", "1,587", "8 + 10 + 0", "8", "1", "10", "22 ms", "10 ms")},
	"shop":                       {pecan("4", "1", "429", "4 + 0 + 0", "4", "1", "0", "101 ms", "32 ms")},
	"stringbuffer":               {pecan("3", "2", "86", "0 + 1 + 0", "1", "1", "0", "3 ms", "43 ms")},
	"collections/TestArrayList":  {pecan("3", "3", "294", "6 + 1 + 4", "11", "2", "0", "6 ms", "8 ms")},
	"collections/TestLinkedList": {pecan("3", "9", "357", "6 + 1 + 7", "13", "3", "0", "8 ms", "7 ms")},
	"collections/TestHashSet":    {pecan("3", "11", "404", "4 + 3 + 4", "10", "5", "0", "12 ms", "8 ms")},
	"collections/TestTreeSet":    {pecan("3", "23", "475", "4 + 2 + 4", "10", "4", "0", "30 ms", "7 ms")},
	"example/TestRace":           {graphs("3", "29", "8 + 2", "8 + 2", "2 + 0", "2 + 0", "1 + 0")},
	"example/TestNoRace":         {graphs("3", "37", "8 + 2", "6 + 2", "2 + 0", "0 + 0", "0 + 0")},
	"connectionpool": {
		graphs("4", "97", "89 + 30", "21 + 6", "28 + 4", "0 + 0", "0 + 0"),
		witnesses("4", "5", "85", "21", "0", "0"),
	},
	"barrierbench": {
		graphs("10", "649", "1,831 + 852", "488 + 102", "1,214 + 612", "30 + 3", "0 + 0"),
		witnesses("13", "16", "653", "361", "38", "0"),
	},
	"syncbench": {
		graphs("16", "1,510", "21,230 + 13,578", "1,142 + 186", "17,415 + 11,532", "117 + 0", "0 + 0"),
		witnesses("13", "16", "722", "805", "333", "40"),
	},
	"philosophers": {
		graphs("6", "1,141", "1,719 + 413", "566 + 81", "576 + 177", "0 + 0", "0 + 0"),
		witnesses("6", "23", "1,050", "563", "0", "0"),
	},
	"elevator": {
		graphs("4", "3,000", "1,293 + 6", "1,276 + 4", "17 + 2", "0 + 0", "0 + 0"),
		witnesses("4", "121", "8,000", "12", "0", "0"),
	},
	"tsp": {
		graphs("4", "45,653", "113 + 0", "113 + 0", "4 + 0", "4 + 0", "3 + 0"),
		witnesses("4", "42", "45,637", "83", "4", "3"),
	},
	"daisy": {
		{by: "Chen, Roşu", goroutines: "3", locations: "572", confirmed: "2"},
		witnesses("3", "34", "1,998", "328", "16", "7"),
	},
	"hedc":       {pecan("7", "10", "3,117", "25 + 3 + 0", "12", "2", "16", "5 ms", "9 ms")},
	"weblech":    {pecan("3", "26", "10,640", "10 + 0 + 0", "4", "0", "6", "57 ms", "24 ms")},
	"cache4j":    {pecan("5", "19", "1,077", "5 + 2 + 0", "5", "0", "2", "11 ms", "12 ms")},
	"specjbb":    {pecan("4", "116", "60,775", "24 + 1 + 0", "18", "2", "7", "79 ms", "53 ms")},
	"moldyn":     {pecan("2", "11", "134,375", "4 + 0 + 0", "1", "0", "3", "5.622 s", "265 ms")},
	"raytracer":  {pecan("2", "399", "15,140", "2 + 2 + 0", "4", "0", "0", "1.034 s", "68 ms")},
	"montecarlo": {pecan("2", "9", "7,650", "1 + 0 + 0", "1", "0", "0", "309 ms", "20 ms")},
	"openjms":    {pecan("24", "185", "180,887", "207 + 226 + 4", "34 of 100", "8", "66", "298.6 s", "350 ms")},
	"jigsaw":     {pecan("12", "307", "275,128", "665 + 727 + 684", "36 of 100", "15", "57", "177.7 s", "578 ms")},
	"httpclient": {{by: "Chen, Roşu", goroutines: "7", locations: "2", confirmed: "2"}},
}

// ratios are PECAN's Table 2: how often AssetFuzzer, which looks at random, makes an
// anomaly happen that is real. PECAN makes all of them happen, each time.
var ratios = []struct{ program, assetFuzzer string }{
	{"stringbuffer", "0.9"}, {"collections/TestArrayList", "0.35"}, {"collections/TestLinkedList", "0.53"},
	{"collections/TestHashSet", "0.35"}, {"collections/TestTreeSet", "0.11"}, {"moldyn", "1.00"}, {"raytracer", "0.998"},
	{"montecarlo", "0.990"}, {"cache4j", "0.933"}, {"hedc", "0.976"}, {"weblech", "0.261"}, {"jigsaw", "0.853"},
}
