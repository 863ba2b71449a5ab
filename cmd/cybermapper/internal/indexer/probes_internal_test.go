package indexer

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
)

// Parts of texts without blanks are found, of whatever length, and also where the source breaks a line, marks a word, or says where
// a line may be broken. Text is one of a page; each of the probes stands in it.
func TestProbes(t *testing.T) {
	dir := t.TempDir()
	pages := []struct{ name, text, probes string }{
		{"zh", "<h1>防火\n墙设置</h1><p>本页说明如何在服务器上<b>配置</b>防火墙\n规则，以及\nnftables\n的用法。",
			"防 墙 防火墙 火墙设 防火墙设置 配置防火墙 防火墙规则 规则 nftables 的用法 本页说明如何在服务器上配置防火墙规则"},
		{"zh-tw", "<h1>套件</h1><p>請先\n  更新套件清單，再安裝「<code>apt</code>」套件到APT文件夾。", "裝「apt 套件到APT APT文 到APT文件 套件 套 請先更新 更新套件清單 再安裝"},
		{"ja", "<h1>パッケージの\n検索</h1><p>Debian<b>パッケージ</b>を<i>検\n索</i>するには、ｶﾀｶﾅでも探せます。サーバー名は々も含む。",
			"検索 索 検 パッケージの検索 Debianパッケージ パッケージを検索するには ッケー サーバー 々も 探せます"},
		{"ko", "<h1>패키지 검색</h1><p>데비안의 꾸러미를 찾아서\n설치하는 방법을 설명합니다.", "패키지 검색 데비안 꾸러미 설치하는 방법 비안의 찾아서"},
		{"th", "<h1>การค้นหา</h1><p>ภาษา\u200bไทย\u200bไม่มีช่องว่างระหว่างคำ และข้อความนี้ยาวพอ",
			"ค้นหา ภาษาไทย ภาษา ไทย ไม่มีช่องว่าง ระหว่างคำ ช่องว่าง ข้อความ ย"},
		{"km", "<p>ភាសា\u200bខ្មែរ\u200bគ្មាន\u200bចន្លោះ", "ភាសាខ្មែរ ខ្មែរ គ្មានចន្លោះ"},
	}
	for _, p := range pages {
		file := filepath.Join(dir, "pkg", p.name+".html")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		page := "<!DOCTYPE html><meta charset=utf-8><title>" + p.name + "</title><body>" + p.text
		filetest.Write(t, file, page)
	}
	x, _ := relevanceIndex(t, dir, []string{"pkg"})
	for _, p := range pages {
		for probe := range strings.FieldsSeq(p.probes) {
			if !findsPage(t, x, probe, "pkg/"+p.name+".html") {
				t.Errorf("%s: %s is not found", p.name, probe)
			}
		}
	}
}

// findsPage reports whether a page has all that is asked for.
func findsPage(t *testing.T, x *index.Index, probe, page string) bool {
	r, err := x.Search(t.Context(), index.Query{Text: probe, Site: "docs.example/" + page, Limit: index.MaxHits, Ungrouped: true})
	if err != nil {
		t.Fatalf("%s: %v", probe, err)
	}
	return !r.Some && slices.ContainsFunc(r.Hits, func(h index.Hit) bool { return strings.HasSuffix(h.URL, "/"+page) })
}

// TestRealProbes draws probes from real pages, reads these by other means than the index does, and looks for each:
//
//	PROBES_PAGES=DIR go test -run RealProbes -v ./cmd/cybermapper/internal/indexer
//
// DIR has folders of pages, such as unpacked packages with Chinese, Japanese, Korean and Thai documentation.
func TestRealProbes(t *testing.T) {
	dir := os.Getenv("PROBES_PAGES")
	if dir == "" {
		t.Skip("PROBES_PAGES names no folder of pages")
	}
	folders, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, f := range folders {
		packages = append(packages, f.Name())
	}
	x, n := relevanceIndex(t, dir, packages)
	random := rand.New(rand.NewPCG(17, 17))
	probes, missed := 0, 0
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || path.Ext(name) != ".html" {
			return err
		}
		for _, probe := range probesOf(t, filepath.Join(dir, name), random) {
			if probes++; !findsPage(t, x, probe, name) {
				missed++
				t.Logf("missed: %q of %s", probe, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d probes, %d missed", n, probes, missed)
	if missed > 0 {
		t.Error("not all are found")
	}
}

// unspaced matches text in scripts without blanks, with the Latin words in it.
var unspaced = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}ーA-Za-z0-9]*` +
	`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}ー]+[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}ーA-Za-z0-9]*`)

// brokenLine matches where such a text goes on in the next line.
var brokenLine = regexp.MustCompile(`([\p{Han}\p{Hiragana}\p{Katakana}ー、。，：；（）「」])[ \t]*\r?\n\s*([\p{Han}\p{Hiragana}\p{Katakana}ー、。，：；（）「」])`)

// probesOf draws up to eight parts of the paragraphs of a page, of 1 to 10 characters.
func probesOf(t *testing.T, file string, random *rand.Rand) (probes []string) {
	raw := filetest.Read(t, file)
	doc, err := html.Parse(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "p" || n.Data == "h2") && !isFurniture(n) {
			text := brokenLine.ReplaceAllString(brokenLine.ReplaceAllString(textOf(n), "$1$2"), "$1$2")
			runs = append(runs, unspaced.FindAllString(text, -1)...)
		}
	}
	for range min(8, len(runs)) {
		run := []rune(runs[random.IntN(len(runs))])
		from := random.IntN(len(run))
		probe := string(run[from:min(len(run), from+1+random.IntN(10))])
		if unspaced.MatchString(probe) && !splitsWord(run, from, len([]rune(probe))) {
			probes = append(probes, probe)
		}
	}
	return probes
}

// splitsWord reports whether a part of a run begins or ends within a Latin word: a part of a word is not looked for.
func splitsWord(run []rune, from, n int) bool {
	latin := func(i int) bool { return i >= 0 && i < len(run) && run[i] < 0x80 }
	return latin(from-1) && latin(from) || latin(from+n-1) && latin(from+n)
}

// isFurniture reports whether an element stands among what is on every page.
func isFurniture(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		for _, a := range n.Attr {
			if a.Key == "class" && (strings.Contains(a.Val, "nav") || a.Val == "sphinxsidebar") {
				return true
			}
		}
		if n.Data == "nav" || n.Data == "footer" || n.Data == "header" || n.Data == "aside" {
			return true
		}
	}
	return false
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode && c.Parent.Data != "script" && c.Parent.Data != "style":
			b.WriteString(c.Data)
		case c.Type == html.ElementNode && (c.Data == "br" || c.Data == "pre" || c.Data == "table"):
			b.WriteString(" | ")
		}
	}
	return b.String()
}
