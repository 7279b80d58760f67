// Package browser opens the page of package report in Chromium, which its tests need:
//
//	apt-get install chromium
//	go test -artifacts -outputdir=/tmp/pages
//
// in this folder; with -artifacts, there are pictures of the pages to look at, light, dark and
// printed. With -update, docs/page.png is made anew, the README's picture. It is a module of its
// own, so that who has gopredict as a tool has no use for what drives a browser.
package browser

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gopredict/gopredict/internal/report"
)

var update = flag.Bool("update", false, "make the README's picture anew")

// window is a page in the browser.
type window struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string // errors, and requests for anything but the page
}

// stored reads one of the reports that are beside this folder.
func stored(t *testing.T, name string) *report.Report {
	t.Helper()
	f, err := os.Open("../reports/" + name + ".json")
	require.NoError(t, err)
	defer f.Close()
	r, err := report.ReadJSON(name, f)
	require.NoError(t, err)
	return r
}

// hundreds is a report of 200 findings.
func hundreds(t *testing.T) *report.Report {
	r := stored(t, "bank")
	one := r.Findings[0]
	r.Findings = nil
	for i := range 200 {
		one.ID = fmt.Sprintf("race-%06x", i)
		r.Findings = append(r.Findings, one)
	}
	return r
}

// long is a report of a finding with 5,000 steps.
func long(t *testing.T) *report.Report {
	r := stored(t, "bank")
	f := &r.Findings[0]
	var steps []report.Step
	for n := range 5000 - len(f.Interleaving) {
		s := f.Interleaving[2]
		s.Goroutine, s.Line = fmt.Sprint("0.", n/4%2+1), 20+n%7
		steps = append(steps, s)
	}
	f.Interleaving, f.Edges = append(steps, f.Interleaving...), nil
	return r
}

// open opens the page of a report in a window 1280 pixels wide.
func open(t *testing.T, r *report.Report) *window {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Fatal("Chromium is not installed, which these tests need: apt-get install chromium")
	}
	text := page(t, r)
	assert.Less(t, len(text), 5_000_000)
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, text, 0o666))
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.WindowSize(1280, 1000))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	w := &window{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, func(e any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			w.bad = append(w.bad, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			w.bad = append(w.bad, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file://") {
				w.bad = append(w.bad, "a request for "+e.Request.URL)
			}
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	require.NoError(t, err)
	w.run(chromedp.EmulateViewport(1280, 1000), chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS("h1")))
	assert.LessOrEqual(t, w.number("document.documentElement.scrollWidth"), 1280, "the page scrolls sidewards")
	worked := w.worked()
	t.Logf("%d bytes, opened in %d ms, %.2f s of processor time", len(text), w.number("Math.round(performance.getEntriesByType('navigation')[0].domComplete)"), worked)
	assert.Less(t, worked, 1.0, "seconds of processor time until the page is there")
	t.Cleanup(func() {
		w.mu.Lock()
		assert.Empty(t, w.bad)
		w.mu.Unlock()
		if flag.Lookup("test.artifacts").Value.String() == "true" {
			w.pictures()
		}
	})
	return w
}

// page is the page of a report.
func page(t *testing.T, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.WriteHTML(&b, r))
	return b.Bytes()
}

// pictures leaves pictures of the page among the test's artifacts.
func (w *window) pictures() {
	w.t.Helper()
	name := filepath.Join(w.t.ArtifactDir(), strings.ReplaceAll(w.t.Name(), "/", "-"))
	if w.number("document.documentElement.scrollHeight") > 10_000 {
		return // nobody looks at that
	}
	printed, err := chromedp.Call(w.ctx, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
	require.NoError(w.t, err)
	require.NoError(w.t, os.WriteFile(name+".pdf", printed.Data, 0o666))
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		require.NoError(w.t, err)
		// What is sticky would stand elsewhere, and what is out of sight would be left out; two
		// frames later all is painted.
		_, err = chromedp.Call(w.ctx, runtime.Evaluate, runtime.EvaluateParams{AwaitPromise: new(true), Expression: `
			scrollTo(0, 0);
			document.querySelectorAll(".finding").forEach(f => f.style.contentVisibility = "visible");
			new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`})
		require.NoError(w.t, err)
		picture, err := chromedp.Run(w.ctx, chromedp.FullScreenshot(100))
		require.NoError(w.t, err)
		require.NoError(w.t, os.WriteFile(name+"-"+scheme+".png", picture, 0o666))
	}
}

// worked is the processor time that the page has taken by now, in seconds.
func (w *window) worked() float64 {
	w.t.Helper()
	result, err := chromedp.Call(w.ctx, performance.GetMetrics, cdp.Empty{})
	require.NoError(w.t, err)
	for _, m := range result.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	w.t.Fatal("Chromium does not tell the processor time of the page")
	return 0
}

func (w *window) run(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Do(w.ctx, steps...))
}

// key presses a key while an element has the focus.
func (w *window) key(selector, key string) {
	w.t.Helper()
	w.run(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(key))
}

// text is that of an element.
func (w *window) text(selector string) string {
	w.t.Helper()
	text, err := chromedp.Run(w.ctx, chromedp.Text(chromedp.CSS(selector)))
	require.NoError(w.t, err)
	return text
}

// number evaluates an expression.
func (w *window) number(expression string) int {
	w.t.Helper()
	n, err := chromedp.Run(w.ctx, chromedp.Evaluate[int](expression))
	require.NoError(w.t, err)
	return n
}

// count says how many elements of a finding there are.
func (w *window) count(id, selector string) int {
	w.t.Helper()
	return w.number(fmt.Sprintf("document.querySelectorAll('#%s %s').length", id, selector))
}

// drawn waits for the lanes of a finding, and checks what is in them.
func (w *window) drawn(id string, lanes, marked int, edges map[string]int) {
	w.t.Helper()
	w.run(chromedp.ScrollIntoView(chromedp.CSS("#"+id+" .steps")), chromedp.WaitReady(chromedp.CSS("#"+id+" svg.drawing")))
	assert.Equal(w.t, lanes, w.count(id, ".head .lane"))
	assert.Equal(w.t, lanes, w.count(id, ".lane-line"))
	assert.Equal(w.t, marked, w.count(id, ".dot.bad"))
	for kind, n := range edges {
		assert.Equal(w.t, n, w.count(id, ".edge."+kind), kind)
	}
}

func TestBank(t *testing.T) {
	w := open(t, stored(t, "bank"))
	const id = "race-4f367a"
	w.drawn(id, 3, 2, map[string]int{"go": 2, "lock": 1, "value": 2})
	assert.Equal(t, 2, w.count(id, "rect.held"))
	assert.Equal(t, 2, w.count(id, ".orders .card"))
	assert.Equal(t, 1, w.count(id, ".orders .bad"))

	// Down goes from step to step, and the panel shows their lines.
	w.key(`#`+id+` .step[data-step="10"]`, kb.ArrowDown)
	at, source := w.text(`#`+id+` .step[aria-selected=true] .number`), w.text(`#`+id+` .panel .here`)
	assert.Equal(t, "11", at)
	assert.Contains(t, source, "return Receipt")
	// Enter closes the finding, and opens it.
	w.key("#"+id+" summary", kb.Enter)
	assert.Zero(t, w.number("document.querySelectorAll('#"+id+"[open]').length"))
	w.run(chromedp.KeyEvent(kb.Enter))
	// A link in the list leads to it.
	w.key("nav a", kb.Enter)
	w.run(chromedp.WaitReady(chromedp.CSS("#" + id + " summary:focus")))
}

func TestDeadlock(t *testing.T) {
	w := open(t, stored(t, "abba"))
	const id = "deadlock-c23b8d"
	w.drawn(id, 3, 2, map[string]int{"go": 2, "message": 2})
	assert.Equal(t, 2, w.count(id, ".circle li"))
	assert.Equal(t, 2, w.count(id, "rect.held"))
}

func TestLeak(t *testing.T) {
	w := open(t, stored(t, "leftbehind"))
	w.drawn("leak-affc75", 2, 1, map[string]int{"go": 1})
	assert.Equal(t, 1, w.count("leak-affc75", ".partner"), "who should have come")
	w.drawn("leak-39257f", 3, 1, map[string]int{"go": 2, "message": 1})
}

func TestCrowd(t *testing.T) {
	w := open(t, stored(t, "crowd"))
	const id = "race-c20d00"
	w.drawn(id, 20, 2, nil)
	steps := w.count(id, ".step")
	assert.Less(t, w.count(id, ".step:not([hidden])"), 40)
	// A fold opens by a key, and all of them by another.
	w.key("#"+id+" .gap", kb.Enter)
	assert.Equal(t, 1, w.count(id, ".gap[aria-expanded=true]"))
	assert.Greater(t, w.count(id, ".edge.go"), 1)
	w.key("#"+id+" .unfold", kb.Enter)
	assert.Equal(t, steps, w.count(id, ".step:not([hidden])"))
	assert.Equal(t, 19, w.count(id, ".edge.go"))
	assert.Equal(t, 18, w.count(id, ".edge.lock"))
	w.run(chromedp.KeyEvent(kb.Enter))
	assert.Less(t, w.count(id, ".step:not([hidden])"), 40)
}

// Large reports open at once.
func TestLarge(t *testing.T) {
	open(t, hundreds(t))
	w := open(t, long(t))
	w.drawn("race-4f367a", 3, 2, nil)
	w.key(".unfold", kb.Enter)
	t.Logf("all steps shown: %.2f s of processor time", w.worked())
	assert.Equal(t, 5000, w.count("race-4f367a", ".step:not([hidden])"))
}

// The README's picture is of the page of the README's sample. What page that was stands in
// it: a test of package report, which needs no browser, compares.
func TestReadme(t *testing.T) {
	bank := stored(t, "bank")
	w := open(t, bank)
	w.drawn("race-4f367a", 3, 2, nil)
	picture, err := chromedp.Run(w.ctx, chromedp.Screenshot(chromedp.CSS("#race-4f367a")))
	require.NoError(t, err)
	shown, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	assert.Greater(t, shown.Bounds().Dy(), 1000)
	if !*update {
		return
	}
	const header = 8 + 25 // the signature, and what comes first in each file
	chunk := fmt.Appendf(nil, "tEXtpage\x00%x", sha256.Sum256(page(t, bank)))
	labelled := bytes.Clone(picture[:header])
	labelled = binary.BigEndian.AppendUint32(labelled, uint32(len(chunk)-4))
	labelled = append(labelled, chunk...)
	labelled = binary.BigEndian.AppendUint32(labelled, crc32.ChecksumIEEE(chunk))
	labelled = append(labelled, picture[header:]...)
	require.NoError(t, os.WriteFile("../../../../docs/page.png", labelled, 0o666))
}
