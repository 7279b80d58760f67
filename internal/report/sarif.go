package report

import (
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/gopredict/gopredict/internal/bug"
)

// The parts of SARIF 2.1.0 that a report needs, with the standard's names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results    []sarifResult `json:"results"`
		ColumnKind string        `json:"columnKind"`
	}
	sarifDriver struct {
		Name     string      `json:"name"`
		Version  string      `json:"version,omitempty"`
		Semantic string      `json:"semanticVersion,omitempty"`
		URI      string      `json:"informationUri"`
		Rules    []sarifRule `json:"rules"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Name    string    `json:"name,omitempty"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"`
		Help    sarifText `json:"help"`
		HelpURI string    `json:"helpUri"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Flows        []sarifFlow        `json:"codeFlows,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI  string `json:"uri"`
			Base string `json:"uriBaseId,omitempty"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifFlow struct {
		Message sarifText     `json:"message"`
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		ID        string      `json:"id"`
		Message   sarifText   `json:"message"`
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location   sarifLocation `json:"location"`
		Kinds      []string      `json:"kinds,omitempty"`
		Order      int           `json:"executionOrder"`
		Importance string        `json:"importance"`
	}
)

const documentation = "https://github.com/gopredict/gopredict/blob/main/docs/command.md"

// WriteSARIF writes the confirmed findings of r as SARIF 2.1.0, for code scanning. Each kind of bug is
// a rule. Each finding has a thread flow for each goroutine, whose steps are numbered in the order
// of the interleaving. Files are relative to the standard's %SRCROOT%.
func WriteSARIF(w io.Writer, r *Report) error {
	run := sarifRun{Results: []sarifResult{}, ColumnKind: "utf16CodeUnits"}
	run.Tool.Driver = sarifDriver{Name: "gopredict", Version: r.Version, URI: "https://github.com/gopredict/gopredict"}
	if v, ok := strings.CutPrefix(r.Version, "v"); ok {
		run.Tool.Driver.Semantic, _, _ = strings.Cut(v, " ")
	}
	for _, k := range bug.Kinds() {
		rule := sarifRule{
			ID: string(k), Short: sarifText{capitalized(strings.ToLower(k.Title(2)))}, Full: sarifText{k.Help()}, Help: sarifText{k.Help()},
			HelpURI: documentation + "#what-a-finding-says",
		}
		rule.Default.Level = level(k.Gates())
		if name := camel(strings.ToLower(strings.ReplaceAll(k.Title(2), " ", "-"))); !strings.EqualFold(name, rule.ID) {
			rule.Name = name
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for _, f := range r.Findings {
		if rule := slices.Index(bug.Kinds(), f.Kind); rule >= 0 && f.Status == bug.Confirmed {
			run.Results = append(run.Results, f.sarifResult(rule))
		}
	}
	return writeIndented(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// level returns the level of results, by whether they fail the run.
func level(fails bool) string {
	if fails {
		return "error"
	}
	return "warning"
}

// camel makes "DataRace" of "data-race".
func camel(word string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(word, "-") {
		b.WriteString(capitalized(part))
	}
	return b.String()
}

// sarifResult returns the result of a finding whose rule has that index.
func (f *Finding) sarifResult(rule int) sarifResult {
	out := sarifResult{
		RuleID: string(f.Kind), RuleIndex: rule, Level: level(f.FailsRun), Message: sarifText{f.message()},
		Locations: []sarifLocation{}, Fingerprints: map[string]string{"gopredict/v1": f.ID},
	}
	relate := func(l sarifLocation, what string) {
		l.ID, l.Message = len(out.Related)+1, &sarifText{what}
		out.Related = append(out.Related, l)
	}
	for i, a := range f.Accesses {
		l := location(a.Position, a.Col)
		if i == 0 {
			out.Locations = append(out.Locations, l)
		} else {
			relate(l, f.describeAccess(i)+" by goroutine "+a.Goroutine)
		}
		if c := a.CreatedAt; c != nil {
			relate(location(c.Position, 0), "goroutine "+a.Goroutine+" created")
		}
	}
	if s := f.Suppressed; s != nil {
		kind := "external"
		if s.By == ByComment {
			kind = "inSource"
		}
		out.Suppressions = []sarifSuppression{{kind, s.Reason}}
	}
	if flow := f.sarifFlow(); len(flow.Threads) > 0 {
		out.Flows = []sarifFlow{flow}
	}
	return out
}

// message returns the heading in one line.
func (f *Finding) message() string { return strings.Join(f.Heading(), " ") }

// sarifFlow returns the interleaving, with a thread for each goroutine.
func (f *Finding) sarifFlow() sarifFlow {
	flow := sarifFlow{Message: sarifText{f.Legend()}}
	important, _ := visibleSteps(fold(f.Interleaving), len(f.Interleaving))
	all := len(f.Interleaving) <= maxFlow
	for _, g := range goroutines(allRows(f.Interleaving)) {
		t := sarifThread{ID: g, Message: sarifText{"goroutine " + g}}
		for i, s := range f.Interleaving {
			if s.Goroutine != g || !all && !important[i] {
				continue
			}
			at := location(s.Position, 0)
			at.Message = &sarifText{s.String()}
			step := sarifStep{Location: at, Kinds: s.sarifKinds(), Order: i + 1, Importance: "unimportant"}
			switch {
			case s.Violation:
				step.Importance = "essential"
			case important[i]:
				step.Importance = "important"
			}
			t.Locations = append(t.Locations, step)
		}
		if len(t.Locations) > 0 {
			flow.Threads = append(flow.Threads, t)
		}
	}
	return flow
}

// sarifKinds returns the words that the standard suggests for what a step does (3.38.8).
func (s Step) sarifKinds() []string {
	var out []string
	switch s.Op {
	case "acq", "racq":
		out = []string{"acquire", "lock"}
	case "rel", "rrel":
		out = []string{"release", "lock"}
	case "fork":
		out = []string{"call", "function"}
	case "branch", "assert":
		out = []string{"branch"}
	case "read", "write", "aload", "astore", "armw":
		out = []string{"value", "memory"}
	}
	if s.Violation {
		out = append(out, "danger")
	}
	return out
}

// location returns a position in the program as a SARIF location.
func location(at Position, column int) sarifLocation {
	var l sarifLocation
	if at.Func != "" {
		l.Logical = []sarifLogical{{at.Func, "function"}}
	}
	if at.File == "" {
		return l
	}
	l.Physical = new(sarifPhysical)
	l.Physical.Artifact.URI = (&url.URL{Path: at.File}).String()
	if inModule(at.File) {
		l.Physical.Artifact.Base = "%SRCROOT%"
	}
	if at.Line > 0 {
		l.Physical.Region = &sarifRegion{at.Line, column}
	}
	return l
}

// inModule reports whether a file is in the module, by its name.
func inModule(file string) bool {
	return !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "std/") && !strings.Contains(file, "@")
}
