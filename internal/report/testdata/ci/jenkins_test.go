package ci

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A step is a line of a declarative pipeline: a section or a step, with what it is given and what
// is in its braces.
type step struct {
	name string
	args map[string]string // by name; "" for what has none
	body []step
}

// declarative is which sections and steps may stand in which, of those that docs/ci.md uses.
var declarative = map[string][]string{
	"":            {"pipeline"},
	"pipeline":    {"agent", "environment", "stages", "post"},
	"agent":       {"docker"},
	"docker":      {"image"},
	"environment": {"="},
	"stages":      {"stage"},
	"stage":       {"steps"},
	"steps":       {"sh"},
	"post":        {"always"},
	"always":      {"junit", "archiveArtifacts"},
}

// jenkinsToken is one of a Jenkinsfile.
var jenkinsToken = regexp.MustCompile(`^(?:\s+|//[^\n]*|[A-Za-z_]\w*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[{}():,=])`)

// parseJenkins parses a Jenkinsfile as far as docs/ci.md goes: sections with braces, steps with
// arguments, variables of the environment.
func parseJenkins(text string) ([]step, error) {
	var tokens []string
	for text != "" {
		token := jenkinsToken.FindString(text)
		if token == "" {
			return nil, fmt.Errorf("expected a word, a string or a brace, found %.20q", text)
		}
		text = text[len(token):]
		if strings.Contains(token, "\n") {
			token = "\n"
		} else if strings.TrimSpace(token) == "" {
			continue
		}
		tokens = append(tokens, token)
	}
	p := jenkins{tokens}
	steps, err := p.steps("")
	if err == nil && len(p.rest) > 0 {
		err = fmt.Errorf("expected the end, found %q", p.rest[0])
	}
	return steps, err
}

type jenkins struct{ rest []string }

// next takes the next token, which ends a line too unless it is to be one on this line.
func (p *jenkins) next(sameLine bool) string {
	for len(p.rest) > 0 && p.rest[0] == "\n" && !sameLine {
		p.rest = p.rest[1:]
	}
	if len(p.rest) == 0 {
		return ""
	}
	token := p.rest[0]
	p.rest = p.rest[1:]
	return token
}

func (p *jenkins) peek() string {
	if len(p.rest) == 0 {
		return ""
	}
	return p.rest[0]
}

// steps parses what is in a section, up to its brace.
func (p *jenkins) steps(in string) (out []step, err error) {
	for {
		name := p.next(false)
		if name == "" || name == "}" {
			if (name == "") != (in == "") {
				return nil, fmt.Errorf("in %q: expected the other end, found %q", in, name)
			}
			return out, nil
		}
		s := step{name: name, args: make(map[string]string)}
		kind := name
		if p.peek() == "=" {
			kind = "="
			p.next(true)
		}
		if !slices.Contains(declarative[in], kind) {
			return nil, fmt.Errorf("in %q: expected one of %q, found %q", in, declarative[in], name)
		}
		if err := p.arguments(&s); err != nil {
			return nil, err
		}
		if p.peek() == "{" {
			p.next(true)
			if s.body, err = p.steps(name); err != nil {
				return nil, err
			}
		} else if declarative[kind] != nil {
			return nil, fmt.Errorf("expected { after %s, found %q", name, p.peek())
		}
		if end := p.peek(); end != "\n" && end != "}" && end != "" {
			return nil, fmt.Errorf("expected the end of the line after %s, found %q", name, end)
		}
		out = append(out, s)
	}
}

// arguments parses what stands behind a name: strings and words, with names or without, in
// brackets or without.
func (p *jenkins) arguments(s *step) error {
	bracket := p.peek() == "("
	if bracket {
		p.next(true)
	}
	for more := bracket || p.peek() != "{" && p.peek() != "\n"; more; {
		name, value := "", p.next(true)
		if p.peek() == ":" {
			p.next(true)
			name, value = value, p.next(true)
		}
		if !strings.ContainsAny(value, `'"`) && value != "true" && value != "false" {
			return fmt.Errorf("expected a string after %s, found %q", s.name, value)
		}
		s.args[name] = strings.Trim(value, `'"`)
		if more = p.peek() == ","; more {
			p.next(true)
		}
	}
	if bracket && p.next(true) != ")" {
		return fmt.Errorf("expected ) after %s", s.name)
	}
	return nil
}

// The pipeline for Jenkins that docs/ci.md has to copy is a declarative one, whose steps have
// what they need; what it keeps is what is written.
func TestJenkins(t *testing.T) {
	text := string(block(t, "Jenkins"))
	file, err := parseJenkins(text)
	require.NoError(t, err)
	require.Len(t, file, 1)
	sections := make(map[string]step)
	for _, s := range file[0].body {
		sections[s.name] = s
	}
	require.Len(t, sections, 4)
	var command string
	for _, s := range sections["stages"].body[0].body[0].body {
		command = s.args[""]
	}
	for _, s := range sections["environment"].body {
		assert.True(t, strings.HasPrefix(s.args[""], "${WORKSPACE}/"), s.name)
	}
	after := sections["post"].body[0].body
	require.Len(t, after, 2)
	assert.Contains(t, command, "-predict.junit="+after[0].args["testResults"]+" ")
	assert.Contains(t, command, "="+strings.TrimSuffix(after[1].args["artifacts"], "*"))
	for _, wrong := range [][2]string{{"stages {", "stages"}, {"', testR", ", testR"}, {"allowEmptyResults: true,", "allowEmptyResults: true"}, {"post {", "after {"}, {"sh 'go", "sh go"}, {"stage('gopredict')", "stage('gopredict'"}, {"}\n}\n", "}\n"}} {
		changed := strings.Replace(text, wrong[0], wrong[1], 1)
		if changed != text {
			_, err := parseJenkins(changed)
			assert.Error(t, err, "the check itself has to see what is wrong: %q", wrong)
		}
	}
}
