package report

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser is Chromium on the sample page. A request to anything but the file
// fails the test, and so does an error of the page's script.
func browser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if os.Getenv("BERTH_REQUIRE_BROWSER") != "" {
			t.Fatal("Chromium is not there, and BERTH_REQUIRE_BROWSER asks for it")
		}
		t.Skip("Chromium is not there: the report is not tested in a browser")
	}
	html, err := samplePage(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(45*time.Second))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if url := e.Request.URL; url != "file://"+file && !strings.HasPrefix(url, "data:") {
				t.Errorf("the page asks for %s", url)
			}
		case *runtime.EventExceptionThrown:
			t.Errorf("the page's script: %s", e.ExceptionDetails.Text)
		}
	}))
	t.Cleanup(cancel)
	do(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+file))
	return ctx
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eval is the value of an expression in the page.
func eval[T any](t *testing.T, ctx context.Context, js string) T {
	t.Helper()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReportInChromium(t *testing.T) {
	ctx := browser(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, context.Context)
	}{
		{"tables are sorted by clicks and by the keyboard", sorting},
		{"theme", theming},
		{"grid", gridding},
		{"phone", onPhone},
		{"print", printing},
		{"screen reader", reading},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.test(t, ctx) }) {
			return
		}
	}
}

func sorting(t *testing.T, ctx context.Context) {
	names := func() string {
		return eval[string](t, ctx, `[...document.querySelectorAll("#table-sample tbody th")].map(c => c.textContent).join(" ")`)
	}
	sorted := func() string {
		return eval[string](t, ctx, `[...document.querySelectorAll("#table-sample thead th")].map(c => c.getAttribute("aria-sort") || "-").join(" ")`)
	}
	expect := func(wantNames, wantSort string) {
		t.Helper()
		if n, s := names(), sorted(); n != wantNames || s != wantSort {
			t.Errorf("rows %q, aria-sort %q; want %q, %q", n, s, wantNames, wantSort)
		}
	}
	expect("b_1 a&b c d", "- - -")
	head := func(n string) string { return "#table-sample thead th:nth-child(" + n + ") button" }
	do(t, ctx, chromedp.Click(chromedp.CSS(head("2"))))
	expect("a&b b_1 d c", "- ascending -")
	do(t, ctx, chromedp.Click(chromedp.CSS(head("2"))))
	expect("d b_1 a&b c", "- descending -") // what has no number stays last
	do(t, ctx, chromedp.Click(chromedp.CSS(head("3"))))
	expect("b_1 d a&b c", "- - ascending") // by number: 9.5 is before 10
	do(t, ctx, chromedp.Focus(chromedp.CSS(head("1"))), chromedp.KeyEvent(kb.Enter))
	expect("a&b b_1 c d", "ascending - -")
}

// media emulates a medium and the system's theme.
func media(name, theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: name, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return err
	})
}

func theming(t *testing.T, ctx context.Context) {
	colors := func() [2]string {
		return eval[[2]string](t, ctx, `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector(".drawing text")).fill]`)
	}
	light := [2]string{"rgb(255, 255, 255)", "rgb(90, 90, 90)"}
	scheme := func(name string) chromedp.Action[chromedp.Void] {
		return media("", name)
	}
	dark := func(c [2]string) bool { return c[0] == "rgb(27, 27, 27)" && c[1] != light[1] }
	do(t, ctx, scheme("light"))
	if c := colors(); c != light {
		t.Errorf("on a light system: %v, want %v", c, light)
	}
	do(t, ctx, scheme("dark"))
	if c := colors(); !dark(c) {
		t.Errorf("on a dark system: %v", c)
	}
	click := chromedp.Click(chromedp.CSS("#theme"))
	do(t, ctx, click) // system → light
	if c := colors(); c != light {
		t.Errorf("light, chosen on a dark system: %v", c)
	}
	do(t, ctx, click, scheme("light")) // → dark
	if c := colors(); !dark(c) {
		t.Errorf("dark, chosen on a light system: %v", c)
	}
	do(t, ctx, click) // → system
	if c := colors(); c != light {
		t.Errorf("back to the system's: %v", c)
	}
}

func gridding(t *testing.T, ctx context.Context) {
	detail := func() string { return eval[string](t, ctx, `document.querySelector(".detail").textContent.trim()`) }
	over := func(selector string) chromedp.Action[chromedp.Void] {
		at := eval[struct{ X, Y float64 }](t, ctx, `(() => { const e = document.querySelector('`+selector+`'); e.scrollIntoView({block: "center", behavior: "instant"}); const b = e.getBoundingClientRect(); return {X: b.x + b.width / 2, Y: b.y + b.height / 2}; })()`)
		return chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y)
	}
	const early = "early, training, priority 9: GPUs 2-3, 0:00 to 6:30, waited 0:00"
	do(t, ctx, over(`.block[data-detail^="early"]`))
	if d := detail(); d != early {
		t.Errorf("pointing at a job tells %q, want %q", d, early)
	}
	do(t, ctx, over(`.block.reserved`))
	if d := detail(); d != "chat, real-time service: 1 GPU wanted, 2 GPUs held on GPUs 0-1, 0:00 to 24:00" {
		t.Errorf("pointing at a reservation tells %q", d)
	}
	do(t, ctx, over("h1"))
	if d := detail(); !strings.HasPrefix(d, "Of the job that is pointed at") {
		t.Errorf("pointing elsewhere still tells %q", d)
	}
	const late = "late, quantization, priority 2: GPUs 4-7, 12:00 to 20:00, waited 11:00"
	do(t, ctx, chromedp.Click(chromedp.CSS(`.block[data-detail^="late"]`)), over("h1"))
	if d := detail(); d != late {
		t.Errorf("a tapped job stays shown: %q, want %q", d, late)
	}
	// One stop of the Tab key; arrows go by start.
	do(t, ctx, chromedp.Focus(chromedp.CSS(`.block[tabindex="0"]`)), chromedp.KeyEvent(kb.ArrowRight))
	if d := detail(); !strings.HasPrefix(d, "torn, batch-inference") {
		t.Errorf("the job after the first is %q", d)
	}
	if n := eval[int](t, ctx, `document.querySelectorAll('.block[tabindex="0"]').length`); n != 1 {
		t.Errorf("the Tab key stops at %d jobs", n)
	}
	if n := eval[int](t, ctx, `document.querySelectorAll(".block.on").length`); n != 2 {
		t.Errorf("%d blocks of a job on two ranges are marked", n)
	}
	width := func() float64 {
		return eval[float64](t, ctx, `document.querySelector(".plane").getBoundingClientRect().width`)
	}
	one := width()
	do(t, ctx, chromedp.Click(chromedp.CSS(`[data-zoom="in"]`)))
	if w := width(); w < 1.99*one {
		t.Errorf("enlarged, the grid is %.0f px wide, it was %.0f", w, one)
	}
	if !eval[bool](t, ctx, `(() => { const s = document.querySelector(".scroll"); return s.scrollWidth > s.clientWidth; })()`) {
		t.Error("the enlarged grid does not scroll")
	}
	do(t, ctx, chromedp.Focus(chromedp.CSS(`.block[tabindex="0"]`)), chromedp.KeyEvent("0"))
	if w := width(); w != one {
		t.Errorf("fitted again, the grid is %.0f px wide, it was %.0f", w, one)
	}
}

func onPhone(t *testing.T, ctx context.Context) {
	do(t, ctx, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	if w := eval[int](t, ctx, "document.documentElement.scrollWidth"); w > 390 {
		t.Errorf("on a phone 390 px wide the page is %d px wide", w)
	}
	do(t, ctx, chromedp.EmulateViewport(1280, 900))
}

func printing(t *testing.T, ctx context.Context) {
	do(t, ctx, media("print", "dark"))
	if c := eval[string](t, ctx, "getComputedStyle(document.body).backgroundColor"); c != "rgb(255, 255, 255)" {
		t.Errorf("printed from a dark system, the paper is %s", c)
	}
	if s := eval[string](t, ctx, `getComputedStyle(document.querySelector("nav")).display`); s != "none" {
		t.Errorf("the navigation is printed: %s", s)
	}
	do(t, ctx, media("", "light"))
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	if err != nil || !strings.HasPrefix(string(pdf), "%PDF-") {
		t.Errorf("printing made no PDF: %v", err)
	}
}

// reading looks at the page as a screen reader gets it.
func reading(t *testing.T, ctx context.Context) {
	seen := map[string][]string{} // role → names
	tree, err := chromedp.Run(ctx, func(ctx context.Context, target *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := text(n.Role), text(n.Name)
		seen[role] = append(seen[role], name)
		if name == "" && slices.Contains([]string{"button", "image", "link", "table", "columnheader"}, role) {
			t.Errorf("a %s without a name", role)
		}
	}
	for _, role := range []string{"banner", "navigation", "main", "figure", "image", "table", "rowheader"} {
		if len(seen[role]) == 0 {
			t.Errorf("no %s", role)
		}
	}
	for role, name := range map[string]string{"image": "Two dots.", "heading": "First & foremost"} {
		if !strings.Contains(strings.Join(seen[role], "|"), name) {
			t.Errorf("no %s called %q, only %q", role, name, seen[role])
		}
	}
}

func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}
