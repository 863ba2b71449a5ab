package extract_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// inCharset returns a text in a charset, with references for what that has no letter for.
func inCharset(t *testing.T, label, text string) []byte {
	t.Helper()
	enc, _ := charset.Lookup(label)
	if enc == nil {
		t.Fatalf("no charset %s", label)
	}
	var out []byte
	encoder := enc.NewEncoder()
	for _, r := range text {
		if b, err := encoder.Bytes([]byte(string(r))); err == nil {
			out = append(out, b...)
		} else {
			out = fmt.Appendf(out, "&#%d;", r)
		}
	}
	return out
}

func TestPage_CharsetGuessed(t *testing.T) {
	const (
		russian  = "<title>Добро пожаловать</title><p>Поисковый робот знает, куда ему идти, и спрашивает разрешения у хозяина."
		japanese = "<title>ようこそ</title><p>このロボットは、どこへ行くべきかを知っています。サイトの持ち主に許可を求めます。"
		chinese  = "<title>欢迎</title><p>这个网络爬虫知道应该去哪里，并且在访问每一个网站之前都会先征求网站所有者的许可。"
		korean   = "<title>환영합니다</title><p>이 로봇은 어디로 가야 하는지 알고 있으며 사이트 소유자에게 허락을 구합니다."
		// with letters that only Windows has
		japaneseOfWindows = japanese + "①髙橋㈱の﨑さんはⅢ号室で待っています。"
		koreanOfWindows   = korean + "찦차를 타고 온 펲시맨과 쑛다리 똠방각하."

		polish  = "<title>Witajcie</title><p>Żółw i źdźbło: robot wie, dokąd iść, i pyta o pozwolenie właściciela."
		czech   = "<title>Vítejte</title><p>Žluťoučký kůň: robot ví, kam má jít, a ptá se majitele stránek na svolení."
		turkish = "<title>Hoş geldiniz</title><p>Robot nereye gideceğini bilir ve site sahibinden izin ister; ığüşöç."
		thai    = "<title>ยินดีต้อนรับ</title><p>หุ่นยนต์รู้ว่าจะไปที่ไหน และขออนุญาตเจ้าของเว็บไซต์"
		// longer ones, which are told by their words
		polishNews = "<title>Witajcie</title><p>Żółw i źdźbło: robot wie, dokąd iść, i pyta o pozwolenie właściciela, zanim zajrzy " +
			"na jego stronę. Potem czeka chwilę, żeby nikomu nie przeszkadzać, i dopiero wtedy bierze następną."
		czechNews = "<title>Vítejte</title><p>Žluťoučký kůň: robot ví, kam má jít, a ptá se majitele stránek na svolení, než se na ně " +
			"podívá. Pak chvíli počká, aby nikoho nerušil, a teprve potom si vezme další."
		turkishNews = "<title>Hoş geldiniz</title><p>Robot nereye gideceğini bilir ve bir sayfaya bakmadan önce site sahibinden izin " +
			"ister; sonra kimseyi rahatsız etmemek için biraz bekler ve ancak ondan sonra ötekini alır; " +
			"çünkü konuğun iyisi, çağrılmadığı odaya girmeyendir."
		arabicNews = "<title>أهلا وسهلا</title><p>هذه صفحة باللغة العربية كتبت من أجل الزاحف الذي يعرف إلى أين يذهب، ويطلب الإذن من صاحب " +
			"الموقع قبل أن ينظر إلى هذه الصفحات. ثم ينتظر قليلا في كل مرة حتى لا يزعج أحدا من الناس، وبعد ذلك يأخذ الصفحة التالية."
		finnish = "<title>Tervetuloa</title><p>Robotti tietää, minne mennä, ja pyytää sivuston omistajalta lupaa ennen kuin se lukee " +
			"hänen sivunsa. Sitten se odottaa hetken, jottei häiritse ketään, ja hakee vasta sen jälkeen seuraavan."
		french = "<title>Bienvenue</title><p>Le robot sait où aller et demande la permission au propriétaire du site avant de " +
			"regarder sa première page. Après, il attend un peu, pour ne gêner personne, et ne prend la suivante qu'à ce moment-là."

		icelandic = `<script>addItem({"id":4,"name":"Stærð bendils","price":12.50});</script>
<script>addItem({"id":3,"name":"Boko (alþýðulýðveldið","price":12.50});</script>
<script>addItem({"id":2,"name":"Þýska, lágþýska","price":12.50});</script>
<script>addItem({"id":1,"name":"Mono (Kamerún)","price":12.50});</script>`
		german = "<title>Grüße</title><p>Über die Straße läuft ein Roboter, der fürs Öffnen der Tür höflich um Erlaubnis fragt; schön, größer, müßig."
	)
	tests := []struct {
		name, charset, text string
		tag, host, language string
		want, source        string
	}{
		{"bytes", "windows-1251", russian, "", "a.example", "", "windows-1251", extract.SourceGuess},
		{"bytes", "koi8-r", russian, "", "a.example", "", "koi8-r", extract.SourceGuess},
		{"words", "windows-1256", arabicNews, "", "a.example", "", "windows-1256", extract.SourceGuess},
		{"words", "iso-8859-6", arabicNews, "", "a.example", "", "iso-8859-6", extract.SourceGuess},
		{"bytes before language", "koi8-r", russian, "<html lang=ru>", "a.example", "", "koi8-r", extract.SourceGuess},
		{"bytes", "shift_jis", japanese, "", "a.example", "", "shift_jis", extract.SourceGuess},
		{"bytes", "euc-jp", japanese, "<html lang=ja>", "a.example", "", "euc-jp", extract.SourceGuess},
		{"bytes", "iso-2022-jp", japanese, "<html lang=ja>", "a.example", "", "iso-2022-jp", extract.SourceGuess},
		{"bytes", "gb18030", chinese, "", "a.example", "", "gb18030", extract.SourceGuess},
		{"bytes", "euc-kr", korean, "", "a.example", "", "euc-kr", extract.SourceGuess},
		{"bytes of Windows", "shift_jis", japaneseOfWindows, "", "a.example", "", "shift_jis", extract.SourceGuess},
		{"bytes of Windows", "euc-kr", koreanOfWindows, "", "a.example", "", "euc-kr", extract.SourceGuess},
		{"few bytes, language", "windows-1251", "<title>Привет</title>", "<html lang='ru-RU'>", "a.example", "", "windows-1251", extract.SourceGuess},
		{"few bytes, country", "windows-1251", "<title>Привет</title>", "", "a.ru.", "", "windows-1251", extract.SourceGuess},
		{"few bytes", "windows-1251", "<title>Привет</title>", "", "a.example", "", "windows-1252", extract.SourceDefault},
		{"language", "iso-8859-2", polish, "<html lang=pl>", "a.example", "", "iso-8859-2", extract.SourceGuess},
		{"language", "windows-1250", czech, "<html lang=cs>", "a.example", "", "windows-1250", extract.SourceGuess},
		{"header", "windows-1254", turkish, "", "a.example", "tr", "windows-1254", extract.SourceGuess},
		{"country", "windows-874", thai, "", "a.co.th", "", "windows-874", extract.SourceGuess},
		{"language before country", "windows-1252", german, "<html lang=de>", "a.ru", "", "windows-1252", extract.SourceDefault},
		{"neither", "windows-1252", german, "", "a.example", "", "windows-1252", extract.SourceDefault},
		{"words", "iso-8859-2", polishNews, "", "a.example", "", "iso-8859-2", extract.SourceGuess},
		{"words", "windows-1250", czechNews, "", "a.example", "", "windows-1250", extract.SourceGuess},
		{"words", "windows-1254", turkishNews, "", "a.example", "", "windows-1254", extract.SourceGuess},
		{"words, and English between", "windows-1250", czechNews + "<p>" + strings.Repeat("The robot knows where to go. ", 40), "", "a.example", "",
			"windows-1250", extract.SourceGuess},
		{"words of the West", "windows-1252", finnish, "", "a.example", "", "windows-1252", extract.SourceDefault},
		{"words of the West", "windows-1252", french, "", "a.example", "", "windows-1252", extract.SourceDefault},
		{"words of the West in a script", "windows-1252", icelandic, "", "a.example", "", "windows-1252", extract.SourceDefault},
		{"what the language has cannot be", "windows-1252", "<title>caf\u00e9</title>\u00ff", "<html lang=ja>", "a.example", "", "windows-1252", extract.SourceDefault},
	}
	for _, test := range tests {
		t.Run(test.name+" "+test.charset, func(t *testing.T) {
			header := http.Header{"Content-Type": {"text/html"}}
			if test.language != "" {
				header.Set("Content-Language", test.language)
			}
			page := readWith(t, extract.Options{}, extract.Input{
				URL: "http://" + test.host + "/", Header: header, Body: inCharset(t, test.charset, test.tag+test.text),
			})
			if page.Charset != test.want || page.CharsetSource != test.source {
				t.Fatalf("charset %q by %q, want %q by %q", page.Charset, page.CharsetSource, test.want, test.source)
			}
			_, title, _ := strings.Cut(test.text, "<title>")
			title, _, _ = strings.Cut(title, "</title>")
			if test.want == test.charset && page.Title != title {
				t.Errorf("title %q, want %q", page.Title, title)
			}
		})
	}
}

// Ensure that a letter that was cut in two, as excerpts by bytes have it, does not hide in which charset the others are.
func TestPage_CharsetGuessedBroken(t *testing.T) {
	texts := map[string]string{
		"shift_jis": "このロボットは、どこへ行くべきかを知っています。そしてページを見る前に、サイトの持ち主に許可を求めます。",
		"gb18030":   "这个网络爬虫知道应该去哪里，并且在访问每一个网站之前都会先征求网站所有者的许可，然后等一会儿再去下一个。",
		"euc-kr":    "이 로봇은 어디로 가야 하는지 알고 있으며, 페이지를 보기 전에 사이트 소유자에게 허락을 구하고 그 다음에 기다립니다.",
		"big5":      "這個網路爬蟲知道應該去哪裡，並且在訪問每一個網站之前都會先徵求網站所有者的許可，然後等一會兒再去下一個。",
	}
	texts["euc-jp"] = texts["shift_jis"]
	for label, text := range texts {
		for _, tag := range []string{"", "<html lang=ja>", "<html lang=ko>"} {
			body := inCharset(t, label, tag+"<p>"+text+"<p>"+text[:len("一二")]+"...<p>"+text)
			cut := bytes.Index(body, []byte("...")) - 1
			page := readWith(t, extract.Options{}, extract.Input{
				URL: "http://a.example/", Header: http.Header{"Content-Type": {"text/html"}}, Body: slices.Delete(body, cut, cut+1),
			})
			if page.Charset != label {
				t.Errorf("%q, charset %q, want %q", tag, page.Charset, label)
			}
		}
	}
}

// TestRealPages_Charset guesses the charsets of real pages that declare none: the HTML files, in UTF-8, of the folders of
// CHARSET_PAGES, each named for a language (those of debian-handbook are), written in what was used before UTF-8.
func TestRealPages_Charset(t *testing.T) {
	root := os.Getenv("CHARSET_PAGES")
	if root == "" {
		t.Skip("CHARSET_PAGES names no folder")
	}
	unwanted := regexp.MustCompile(`(?i)<meta[^>]*charset[^>]*>|<\?xml[^>]*\?>|\s(xml:)?lang="[^"]*"`)
	for folder, labels := range map[string]string{
		"ar-MA": "windows-1256", "cs-CZ": "windows-1250 iso-8859-2", "da-DK": "windows-1252", "de-DE": "windows-1252",
		"el-GR": "windows-1253 iso-8859-7", "es-ES": "windows-1252", "fr-FR": "windows-1252", "hr-HR": "windows-1250",
		"it-IT": "windows-1252", "ja-JP": "shift_jis euc-jp", "ko-KR": "euc-kr", "nl-NL": "windows-1252", "pl-PL": "iso-8859-2 windows-1250",
		"pt-BR": "windows-1252", "ro-RO": "windows-1250", "ru-RU": "windows-1251 koi8-r", "sv-SE": "windows-1252",
		"tr-TR": "windows-1254", "zh-CN": "gb18030", "zh-TW": "big5",
	} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.html"))
		if err != nil || len(files) == 0 {
			continue
		}
		for _, label := range strings.Fields(labels) {
			total, told, blind := 0, 0, 0
			for _, name := range files {
				body := filetest.Read(t, name)
				text := unwanted.ReplaceAllString(string(body), "")
				guess := func(text string) bool {
					b := inCharset(t, label, text)
					page := readWith(t, extract.Options{}, extract.Input{Header: http.Header{"Content-Type": {"text/html"}}, Body: b})
					return page.Charset == label || inUTF8(t, page.Charset, b) == inUTF8(t, label, b)
				}
				total++
				if guess(text) {
					blind++
				}
				if guess("<html lang=" + folder + ">" + text) {
					told++
				}
			}
			t.Logf("%s in %s: of %d pages %d right, without a language %d", folder, label, total, told, blind)
		}
	}
}

func inUTF8(t *testing.T, label string, b []byte) string {
	t.Helper()
	enc, _ := charset.Lookup(label)
	text, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
