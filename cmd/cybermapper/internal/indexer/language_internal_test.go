package indexer

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/abadojack/whatlanggo"
	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
)

// A page is in the language of its letters, however many commands, names and figures stand between them.
func TestLanguage(t *testing.T) {
	commands := strings.Repeat("apt V:874, I:999 4211 apt-get install --no-install-recommends shorewall-lite V:0, I:0 71\n", 4)
	between := func(sentence string) string { return strings.Repeat(commands+sentence+"\n", 12) }
	for _, tt := range []struct{ name, declared, body, want string }{
		{"Chinese among commands", "", between(strings.Repeat("这个命令安装软件包和它所依赖的一切，不问任何问题。", 5)), "zh"},
		{"Japanese among commands", "", between(strings.Repeat("このコマンドはパッケージと依存関係をすべて導入します。", 5)), "ja"},
		{"Thai among commands", "", between(strings.Repeat("คำสั่งนี้ติดตั้งแพ็กเกจและทุกสิ่งที่ต้องใช้โดยไม่ถาม ", 9)), "th"},
		{"Russian among commands", "", between(strings.Repeat("Эта команда устанавливает пакет и всё, что ему нужно. "+
			"Каждый пользователь может посмотреть, какие файлы были изменены и почему это произошло. ", 4)), "ru"},
		{"Chinese that calls itself English", "en", between(strings.Repeat("这个命令安装软件包和它所依赖的一切，不问任何问题。", 5)), "zh"},
		{"Japanese that calls itself English", "en", between(strings.Repeat("このコマンドはパッケージと依存関係をすべて導入します。", 5)), "ja"},
		{"Japanese, mostly in Chinese characters", "en", strings.Repeat("平成三十年度予算案の概要と主要施策一覧を公表、国土交通省関係法令改正について。", 4), "ja"},
		{"Chinese with one kana", "", strings.Repeat("这个命令安装软件包和它所依赖的一切，不问任何问题。", 5) + "鲜の味", "zh"},
		{"Chinese that quotes Japanese", "zh", strings.Repeat("这首歌的歌词是「港は霧の中にあります」，意思是港口在雾中。", 4), "zh"},
		{"Indonesian from an English template", "en", strings.Repeat("Kami menyediakan bak mandi teraso yang tidak perlu diragukan lagi "+
			"mutunya. Apabila Anda membutuhkan informasi dari kami, silakan hubungi bagian ini pada jam kerja. ", 4), "id"},
		{"English that quotes German", "en", strings.Repeat("The word of the day is Haus, and this is what it means to those who are "+
			"not from there. ", 8) + strings.Repeat("Das ist der Mann, und die Frau ist nicht mit ihm da. ", 5), "en"},
		{"Persian", "", strings.Repeat("به عبارت صحیح\u200cتر، لینوکس تنها یک کرنل است که بین سخت\u200cافزار و برنامه\u200cهای کاربردی تعامل ایجاد می\u200cکند. ", 3),
			"fa"},
		{"Hindi", "", "गोपनीयता कानून के कारण आप इन कुकीज़ के उपयोग को स्वीकार किए बिना इस वेबसाइट का उपयोग नहीं कर सकते", "hi"},
		{"Bengali that calls itself English", "en", strings.Repeat("এই নির্দেশ প্যাকেজ ও তার যা কিছু লাগে সব স্থাপন করে। ", 5), "bn"},
		{"one foreign name", "", strings.Repeat("The name of the author is 山田 and he wrote this for you, not for us. ", 20), "en"},
		{"German that quotes Greek", "de", strings.Repeat("Das Wort λόγος steht bei vielen, und jeder versteht es anders. ", 20), "de"},
		{"English among tables", "", strings.Repeat("0x1f 0x2e 0x3d reg_a reg_b reg_c\n", 30) +
			strings.Repeat("This is the register that you can write to from the host, and not with a word of 16 bits, which are reserved.\n", 30),
			"en"},
		{"Spanish that quotes English", "", strings.Repeat("El navegador es uno de los programas que se usan más, y la mayoría lo abre para "+
			"leer el correo. ", 20) + strings.Repeat("This is the manual of the program, and you can read it from the menu. ", 10), "es"},
		{"Russian, short", "", "Поисковая система индексирует страницы сайта и находит слова в разных формах. Медведь ловит рыбу.", "ru"},
		{"Russian without its other letters", "", "Программа ждёт правил сайта и потом идёт дальше, а отчёт придёт позднее.", "ru"},
		{"Ukrainian, short", "", "Пошукова система індексує сторінки сайту й знаходить слова в різних формах. Ведмідь ловить її.", "uk"},
		{"Belarusian, short", "", "Пошукавая сістэма знаходзіць словы ў розных формах і паказвае старонкі.", "be"},
		{"Bulgarian", "", strings.Repeat("Търсачката намира думите във всички техни форми и показва страниците на сайта. ", 3), "bg"},
		{"Dutch", "", strings.Repeat("Dit is de handleiding van het programma, en die is niet erg lang, maar wel voor iedereen. ", 20), "nl"},
		{"names that look French", "", strings.Repeat("require scheme/serialize scheme/signature scheme/surrogate scheme/contract "+
			"scheme/language-info scheme/runtime-path scheme/sandbox ▼ ← → ", 10), ""},
		{"names that look English", "", strings.Repeat("the-thing with-open-file string-length char-width the-other-thing ", 10), "en"},
		{"chapters in German", "", strings.Repeat("Vorwort Einführung Überblick Kontenplan Buchungen Abstimmung Geldanlage ", 10), "de"},
	} {
		if got := language(tt.declared, tt.body); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The hash of words is that of each with a blank behind it, be they parted by a blank or by the end of a line.
func TestWordsHash(t *testing.T) {
	for _, text := range []string{"", "a", "two words", "two\nwords", "line\nof two\n", strings.Repeat("long\n", 300), strings.Repeat("é", 700)} {
		want := xxhash.New()
		for word := range strings.FieldsSeq(text) {
			want.WriteString(word + " ")
		}
		if got := wordsHash(text); got != want.Sum64() {
			t.Errorf("%q: %x, want %x", text, got, want.Sum64())
		}
	}
}

// What a text is written in is told as whatlanggo tells it.
func TestScriptOf(t *testing.T) {
	for _, text := range []string{
		"", "12 + 4", "x", "A page about foxes, and 4 dogs.", "Größe: 12 345", "é", "año nuevo", "лиса и fox", "山田 a", "foxes 山田", "λόγος 12",
	} {
		if got, want := scriptOf(text), whatlanggo.DetectScript(text); got != want {
			t.Errorf("%q: %v, want %v", text, whatlanggo.Scripts[got], whatlanggo.Scripts[want])
		}
	}
}

// What is asked of each character of a page is the same as by its tables.
func TestIsLetter(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if got, want := isLetter(r), unicode.IsLetter(r); got != want {
			t.Errorf("%U: %v, want %v", r, got, want)
		}
	}
}

// All small words fit into what a text is searched for them with.
func TestSmallWords(t *testing.T) {
	if len(smallWords) > manySmall {
		t.Errorf("%d small words, at most %d are counted", len(smallWords), manySmall)
	}
	for word := range smallWords {
		if len(word) > longestSmall {
			t.Errorf("%s has %d bytes, and words above %d are not looked at", word, len(word), longestSmall)
		}
	}
}

// A page is in the language that its body names, or else in that of its text, not in that of the names in a menu.
func TestDocument_Language(t *testing.T) {
	dir := t.TempDir()
	menu := "<div>" + strings.Repeat("<a href=x>wxAuiNotebookEvent</a> <a href=y>wxCalendarDateAttr</a> <a href=z>détail</a> ", 200) +
		"</div>"
	for name, page := range map[string]string{
		"body": "<html><body lang=en><h1>grob-interface</h1><p>Properties: staff-symbol, bar-line, note-head, rest.",
		"menu": "<html><h1>wxListEvent</h1>" + menu + "<p>This is the class of events that you can get from a list, and it is not to be made " +
			"by hand: it is the list that makes one for each of the items in it which are changed.",
	} {
		filetest.Write(t, filepath.Join(dir, name+".html"), page)
	}
	x, _ := relevanceIndex(t, dir, []string{"."})
	for _, name := range []string{"body", "menu"} {
		r, err := x.Search(t.Context(), index.Query{Text: "lang:en", Site: "docs.example/" + name + ".html"})
		if err != nil || len(r.Hits) != 1 {
			t.Errorf("%s: %v, %v, want a page in English", name, r, err)
		}
	}
}
