package command

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopredict/gopredict/internal/gotool"
	"github.com/gopredict/gopredict/replayer/witness"
)

// replayArgs is the command line of replay. Its flags for the test win over those that the witness was
// recorded with.
type replayArgs struct {
	options      options
	count        int
	verbose      bool
	holdTime     time.Duration   // how long to stop at the violation; 0: not at all
	buildArgs    gotool.TestArgs // build flags, and -exec
	binaryArgs   []string        // arguments of the test binary
	witnessFiles []string        // of the witnesses
}

// flagsSeenByTests are the flags of go test that tests can see. replay takes them, and the arguments
// after -args, instead of those that the witness was recorded with: a bug that -short leaves out is
// not fixed.
var flagsSeenByTests = []string{"short", "skip", "parallel"}

// parseReplay reads the command line of replay. Its own flags are -n, -v, -hold, -predict.NAME and
// those of the formats. The others are parsed as go test's (gotool.ParseTest), and must be build
// flags or flags that tests see.
func (s *session) parseReplay(args []string) (r replayArgs, err error) {
	r.count = 1
	if r.options, args, err = parseOptions(s.env, args); err != nil {
		return r, err
	}
	var rest []string
	for unread := arguments(args); len(unread) > 0; {
		arg := unread.next()
		switch {
		case arg.isBareFlag("v"):
			r.verbose = true
		case arg.flag == "args": // the rest is for the test binary
			rest, unread = slices.Concat(rest, []string{arg.text}, unread), nil
		case arg.flag == "hold":
			if r.holdTime, err = time.ParseDuration(cmp.Or(arg.value, "1h")); err != nil || r.holdTime <= 0 {
				return r, usagef("-hold=%s: expected a duration above 0, such as 10m", arg.value)
			}
		case arg.flag == "n":
			value, _ := unread.valueOf(arg)
			if r.count, err = parseNumber(value); err != nil {
				return r, usagef("-n %s: expected a number of replays, from 1", value)
			}
		case isReportFormat(arg.flag):
			file, ok := unread.valueOf(arg)
			if !ok {
				return r, usagef("%s needs the name of a file", arg.text)
			}
			r.options.addFile(arg.flag, file)
		default:
			rest = append(rest, arg.text)
		}
	}
	if r.holdTime > 0 && r.count > 1 {
		return r, usagef("-hold stops one replay, found -n %d too", r.count)
	}
	if r.buildArgs, err = gotool.ParseTest(rest); err != nil {
		return r, usagef("%v", err)
	}
	// Flags that tests see become arguments of the binary, build flags do not.
	for _, f := range r.buildArgs.Flags {
		if slices.Contains(flagsSeenByTests, f.Name) {
			f.Name = "test." + f.Name
			r.binaryArgs = append(r.binaryArgs, f.String())
		}
	}
	r.binaryArgs = append(r.binaryArgs, r.buildArgs.BinaryArgs...)
	r.buildArgs = r.buildArgs.Without(flagsSeenByTests...)
	r.buildArgs.BinaryArgs = nil
	if build := r.buildArgs.Without("exec"); len(build.LoadFlags()) != len(build.Flags) {
		return r, usagef("replay takes -n, -v, -hold, -"+listReportFormats(", -")+", -exec, -short, -skip, -parallel, -args and build flags such as -tags, found %s", strings.Join(rest, " "))
	}
	// Words that are no flags, for go test packages, are witnesses.
	if r.witnessFiles, err = findWitnesses(filepath.Join(s.dir, r.buildArgs.ChangeDir), r.buildArgs.Packages); err != nil {
		return r, err
	}
	if r.holdTime > 0 && len(r.witnessFiles) > 1 {
		return r, usagef("-hold stops one replay, found %d witnesses", len(r.witnessFiles))
	}
	r.buildArgs.Packages = []string{"."}
	return r, nil
}

const witnessUsage = "replay takes witness files, or folders that hold some"

// findWitnesses returns the files that words name, relative to dir: a file itself, or all witnesses in a
// folder and below, which may be written as for go test (./...).
func findWitnesses(dir string, words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, usagef(witnessUsage + ", found none")
	}
	var paths []string
	for _, word := range words {
		path := strings.TrimSuffix(word, "...")
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, usagef(witnessUsage+": %v", err)
		}
		if !info.IsDir() {
			paths = append(paths, path)
			continue
		}
		below, err := witness.FilesBelow(path)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			return nil, usagef(witnessUsage+", found none below %s", word)
		}
		paths = append(paths, below...)
	}
	return paths, nil
}
