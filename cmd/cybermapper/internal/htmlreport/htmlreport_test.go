package htmlreport_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

func Example() {
	t, err := htmlreport.New(`<h1>Hosts</h1><p>{{plural .N "host"}}, the slowest is {{.Slow}}</p>`, nil)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, "Hosts", map[string]any{"N": int64(1200), "Slow": "<b>example.org</b>"}); err != nil {
		panic(err)
	}
	_, main, _ := strings.Cut(b.String(), "<main>\n")
	main, _, _ = strings.Cut(main, "\n</main>")
	fmt.Println(main)
	// Output: <h1>Hosts</h1><p>1,200 hosts, the slowest is &lt;b&gt;example.org&lt;/b&gt;</p>
}

// TestUPlot_IsTheReleasedOne: the files are those of the package uplot 1.6.32 in the npm registry, unchanged.
func TestUPlot_IsTheReleasedOne(t *testing.T) {
	for name, want := range map[string]string{
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
		"LICENSE":           "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	} {
		data := filetest.Read(t, filepath.Join("uplot", name))
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has SHA-256 %x, want %s", name, sum, want)
		}
	}
}

const content = `<h1>A test</h1>{{template "plot" .Rate}}{{template "plot" .Bars}}<table>{{num .N}}{{size .N}}{{share .N 3000}}</table>`

func data() map[string]any {
	start := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	rate := htmlreport.Plot{Title: "Rate", Summary: "</script><script>x", Name: "requests/s", Start: start, Seconds: 60}
	for i := range 100 {
		rate.Values = append(rate.Values, float64(i))
	}
	bars := htmlreport.Plot{Title: "Bars", Summary: "two bars", Name: "requests", Values: []float64{1, 2500}, Labels: []string{"few", "many"}}
	return map[string]any{"Rate": rate, "Bars": bars, "N": int64(2999)}
}

func execute(t *testing.T) string {
	t.Helper()
	tmpl, err := htmlreport.New(content, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tmpl.Execute(&b, "A <test>", data()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExecute_PolicyPermitsWhatIsThere: the hashes of the policy are those of the one style and the one script.
func TestExecute_PolicyPermitsWhatIsThere(t *testing.T) {
	page := execute(t)
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1]
	policy = strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy)
	for _, tag := range []string{"style", "script"} {
		text := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(text) != 1 {
			t.Fatalf("%d elements %s, want one", len(text), tag)
		}
		sum := sha256.Sum256([]byte(text[0][1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("policy %q does not have %s", policy, want)
		}
	}
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q does not have %s", policy, want)
		}
	}
	if !strings.Contains(page, "Permission is hereby granted, free of charge") || !strings.Contains(page, "Leon Sorokin") {
		t.Error("uPlot comes without its licence")
	}
}

func TestExecute_PlotsHaveNumbersAndEscapedTexts(t *testing.T) {
	page := execute(t)
	for _, want := range []string{
		"<title>A &lt;test&gt;</title>", `aria-label="Rate: &lt;/script&gt;&lt;script&gt;x"`,
		`<th scope="row">2026-07-01 12:00:00</th><td class="num">2</td>`, // the average of 0 to 4
		`<th scope="row">many</th><td class="num">2.5 k</td>`,
		`<td class="num" data-v="2999">2,999</td><td class="num" data-v="2999">3.0 kB</td><td class="num" data-v="0.9996666666666667">&gt; 99.9 %</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if n := strings.Count(page, `<th scope="row">2026`); n > 24 {
		t.Errorf("the table of a plot has %d rows", n)
	}
}

func TestNew_BadContent(t *testing.T) {
	if _, err := htmlreport.New("{{nonsense}}", nil); err == nil {
		t.Error("New did not complain")
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -2500: "-2.5 k", 0.123456: "0.123", 0.00123: "0.00123", 12.345: "12.3", 999.4: "999", 999.6: "1 k", 1000: "1 k", 2500: "2.5 k", 1.5e6: "1.5 M", 3e15: "3e+03 T",
	} {
		if got := htmlreport.Short(v); got != want {
			t.Errorf("Short(%v) = %q, want %q", v, got, want)
		}
	}
}

// TestPlots_InABrowser: the plots are drawn, follow the width of the screen, and say what is under the cursor.
func TestPlots_InABrowser(t *testing.T) {
	b := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "page.html")
	filetest.Write(t, file, execute(t))
	for _, width := range []int{320, 1280} {
		p := b.Open(t, "file://"+filepath.ToSlash(file), browsertest.View{Width: width, Height: 800})
		var seen struct {
			Plots, Wide, Screen int
			Legend              []string
		}
		p.Eval(t, `(() => {
  document.querySelectorAll(".u-over").forEach(o => {
    const r = o.getBoundingClientRect();
    o.dispatchEvent(new MouseEvent("mousemove", {clientX: r.left + r.width * 0.75, clientY: r.top + 10, bubbles: true}));
  });
  return new Promise(requestAnimationFrame).then(() => ({
    Plots: document.querySelectorAll(".plot > .uplot").length,
    Wide: Math.max(...[...document.querySelectorAll(".plot > .uplot")].map(e => Math.round(e.getBoundingClientRect().right))),
    Screen: document.documentElement.scrollWidth,
    Legend: [...document.querySelectorAll(".u-legend")].map(e => e.textContent),
  }));
})()`, &seen)
		if seen.Plots != 2 || seen.Wide > width || seen.Wide < width/2 || seen.Screen > width {
			t.Errorf("at %d pixels: %+v", width, seen)
		}
		if got := strings.Join(seen.Legend, "; "); !strings.Contains(got, "2026-07-01 13:1") || !strings.Contains(got, "manyrequests2.5 k") {
			t.Errorf("at %d pixels the legends say %q", width, got)
		}
		for _, c := range p.Complaints() {
			t.Error(c)
		}
	}
}
