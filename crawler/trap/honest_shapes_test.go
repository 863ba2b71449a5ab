package trap

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Honest sites whose pages come in shapes that endless places have too: numbers that count on, equal texts, late ends.

// longList is a list of pages, each of which leads to those near it and to twenty entries; an entry leads to the ones before and
// after it.
func longList(n int) func(string) []string {
	return func(path string) (to []string) {
		k := 0
		switch last := n/20 - 1; {
		case scan(path, "/entry/%d", &k):
			near := []int{max(k-1, 0), min(k+1, n-1)}
			return []string{fmt.Sprintf("/list?page=%d", k/20), fmt.Sprintf("/entry/%d", near[0]), fmt.Sprintf("/entry/%d", near[1])}
		default:
			scan(path, "/list?page=%d", &k)
			for near := max(k-2, 0); near <= min(k+2, last); near++ {
				to = append(to, fmt.Sprintf("/list?page=%d", near))
			}
			for i := range 20 {
				to = append(to, fmt.Sprintf("/entry/%d", min(20*k+i, n-1)))
			}
			return append(to, fmt.Sprintf("/list?page=%d", last))
		}
	}
}

// A blog tells its articles by months, years and categories, and all of them, in pages of ten, each of which leads to the one
// before and the one after. Articles lead to their neighbours, their month and their categories.
const (
	blogPage       = 10
	blogMonth      = 60
	blogCategories = 8
)

// blogList returns the articles that a page of a list shows, in a blog of so many, and whether the list goes on.
func blogList(posts int, path string) (shown []int, first string, page int, more bool) {
	var k int
	page = 1
	in := func(int) bool { return true }
	switch {
	case scan(path, "/month/%d/page/%d", &k, &page), scan(path, "/month/%d/", &k):
		first, in = fmt.Sprintf("/month/%d/", k), func(p int) bool { return p/blogMonth == k }
	case scan(path, "/year/%d/page/%d", &k, &page), scan(path, "/year/%d/", &k):
		first, in = fmt.Sprintf("/year/%d/", k), func(p int) bool { return p/blogMonth/12 == k }
	case scan(path, "/category/%d/page/%d", &k, &page), scan(path, "/category/%d/", &k):
		first, in = fmt.Sprintf("/category/%d/", k), func(p int) bool { return p*7%blogCategories == k || p%blogCategories == k }
	case scan(path, "/page/%d", &page), path == "/":
		first = "/"
	default:
		return nil, "", 0, false
	}
	n := 0
	for p := range posts {
		if in(p) {
			if n++; n > (page-1)*blogPage && n <= page*blogPage {
				shown = append(shown, p)
			}
		}
	}
	return shown, first, page, n > page*blogPage
}

func blog(n int) func(string) []string {
	posts := n / 2
	return func(path string) (to []string) {
		var p int
		if scan(path, "/post/%d/", &p) {
			return []string{
				fmt.Sprintf("/post/%d/", max(p-1, 0)), fmt.Sprintf("/post/%d/", min(p+1, posts-1)), fmt.Sprintf("/month/%d/", p/blogMonth),
				fmt.Sprintf("/category/%d/", p*7%blogCategories), fmt.Sprintf("/category/%d/", p%blogCategories), "/archives/",
			}
		}
		for m := range posts/blogMonth + 1 {
			if path == "/archives/" {
				to = append(to, fmt.Sprintf("/month/%d/", m))
			} else if m%12 == 0 {
				to = append(to, fmt.Sprintf("/year/%d/", m/12))
			}
		}
		shown, first, page, more := blogList(posts, path)
		for _, p := range shown {
			to = append(to, fmt.Sprintf("/post/%d/", p))
		}
		if more {
			to = append(to, fmt.Sprintf("%spage/%d", first, page+1))
		}
		if page > 1 {
			to = append(to, fmt.Sprintf("%spage/%d", first, page-1))
		}
		return append(to, "/archives/")
	}
}

// An archive is a blog of twenty years, most of whose articles are of three of them. All pages lead to the years and to the list of
// months; articles lead to their neighbours, to their categories, of which four are large, and to a feed and two records of their
// own, which are not found.
type archive struct {
	posts      []string         // their addresses, the latest first
	number     map[string]int   // of each
	categories [][]string       // of each
	lists      map[string][]int // by the address of the first page
	always     []string         // to which all pages lead
	months     []string
}

var theArchive = sync.OnceValue(func() *archive {
	a, r := &archive{number: map[string]int{}, lists: map[string][]int{}, always: []string{"/months/"}}, chance("archive")
	for i, posts := range []int{3, 18, 2, 42, 50, 66, 104, 217, 459, 469, 756, 52, 57, 60, 23, 77, 98, 168, 19, 162} {
		year := fmt.Sprintf("/%d/", 2020-i)
		a.always = append(a.always, year)
		for p := range posts {
			month := fmt.Sprintf("%s%02d/", year, 12-12*p/posts)
			if a.lists[month] == nil {
				a.months = append(a.months, month)
			}
			n := len(a.posts)
			post := fmt.Sprintf("%s%02d/title-%d/", month, 28-p%28, n)
			a.posts, a.number[post] = append(a.posts, post), n
			var of []string
			for range 1 + r.IntN(2) {
				of = append(of, fmt.Sprintf("/category/%c/", 'a'+rune(popular(r, 26))))
			}
			slices.Sort(of)
			a.categories = append(a.categories, slices.Compact(of))
			for _, l := range append(a.categories[n], "/", year, month) {
				a.lists[l] = append(a.lists[l], n)
			}
		}
	}
	return a
})

// list returns the articles that a page of a list shows, the first page of that list, and whether there is one more.
func (a *archive) list(path string) (shown []int, first string, page int, more bool) {
	first, rest, ok := strings.Cut(path, "page/")
	if page = 1; ok {
		scan(rest, "%d", &page)
	}
	all := a.lists[first]
	from, to := min((page-1)*blogPage, len(all)), min(page*blogPage, len(all))
	return all[from:to], first, page, to < len(all)
}

func archiveLinks(int) func(string) []string { return theArchive().links }

func (a *archive) links(path string) (to []string) {
	if strings.HasSuffix(path, "/feed/") || strings.HasPrefix(path, "/json/") {
		return notFound
	}
	if path == "/months/" {
		to = append(to, a.months...)
	}
	if n, ok := a.number[path]; ok {
		to = append(to, path+"feed/", fmt.Sprintf("/json/posts/%d/", n+3000), "/json/embed/?url="+path)
		to = append(to, a.posts[max(n-1, 0)], a.posts[min(n+1, len(a.posts)-1)])
		to = append(to, a.categories[n]...)
	}
	shown, first, page, more := a.list(path)
	for _, n := range shown {
		to = append(to, a.posts[n])
		to = append(to, a.categories[n]...)
	}
	if more {
		to = append(to, fmt.Sprintf("%spage/%d/", first, page+1))
	}
	switch {
	case page == 2:
		to = append(to, first)
	case page > 2:
		to = append(to, fmt.Sprintf("%spage/%d/", first, page-1))
	}
	return append(to, a.always...)
}

// archiveText returns texts of articles that are told again on the pages of lists.
func archiveText(path string) Text {
	a := theArchive()
	shown, _, _, _ := a.list(path)
	return retold(path, shown, func(n int) string { return a.posts[n] })
}

// blogText returns texts of articles that are told again on the pages of lists.
func blogText(path string) Text {
	shown, _, _, _ := blogList(1<<13, path)
	return retold(path, shown, func(p int) string { return fmt.Sprintf("/post/%d/", p) })
}

// retold returns a text of its own, or, of a page of a list, one that says what the articles say that it shows.
func retold(path string, shown []int, article func(int) string) (t Text) {
	own := sameFor(func(path string) string { return path })
	t = own(path)
	for i := range t.Sample {
		if len(shown) > 0 {
			t.Sample[i] = own(article(shown[i%len(shown)])).Sample[i]
		}
	}
	return t
}

// numberedTopics are in boards by chance, and lead to the topics before and after them by number, of whatever board.
func numberedTopics(n int) func(string) []string {
	const boards = 12
	return func(path string) (to []string) {
		var b, page, t int
		switch {
		case path == "/":
			for b := range boards {
				to = append(to, fmt.Sprintf("/board/%d/1", b))
			}
		case scan(path, "/board/%d/%d", &b, &page):
			for i := range 25 {
				if t := (b + boards*(25*(page-1)+i)) * 7 % n; b+boards*(25*(page-1)+i) < n {
					to = append(to, fmt.Sprintf("/topic/%d", t))
				}
			}
			if b+boards*25*page < n {
				to = append(to, fmt.Sprintf("/board/%d/%d", b, page+1))
			}
		case scan(path, "/topic/%d", &t):
			to = append(to, fmt.Sprintf("/topic/%d", (t+1)%n), fmt.Sprintf("/topic/%d", (t+n-1)%n))
		}
		return to
	}
}

// gitWeb has a log in pages of fifty commits, each with its parent, its changes and its tree, which leads to files as they were:
// most of them as in the commits around it.
func gitWeb(n int) func(string) []string {
	commits, files := n/5, 30
	return func(path string) (to []string) {
		var c, f int
		switch {
		case path == "/":
			return []string{"/log?from=0"}
		case scan(path, "/log?from=%d", &c):
			for i := c; i < min(c+50, commits); i++ {
				to = append(to, fmt.Sprintf("/commit/%x", i*7919))
			}
			if c+50 < commits {
				to = append(to, fmt.Sprintf("/log?from=%d", c+50))
			}
		case scan(path, "/commit/%x", &c):
			to = append(to, path+"/diff", path+"/tree")
			if c > 0 && !strings.HasSuffix(path, "/diff") {
				to = append(to, fmt.Sprintf("/commit/%x", c-7919))
			}
			if strings.HasSuffix(path, "/tree") {
				for f := range files {
					to = append(to, fmt.Sprintf("/blob/%d/%x", f, (c/7919+f)/files*files)) // which was written in that commit
				}
			}
			if strings.Count(path, "/") > 2 {
				to = to[2:]
			}
		case scan(path, "/blob/%d/%x", &f, &c):
			to = append(to, fmt.Sprintf("/log/%d", f), fmt.Sprintf("/blame/%d/%x", f, c))
		}
		return to
	}
}

// stubs are the members of classes, whose pages all say the same, and lead to their class and to members of others.
func stubs(n int) func(string) []string {
	classes := n / 12
	return func(path string) (to []string) {
		r := chance(path)
		var c int
		switch {
		case path == "/":
			for p := range max(classes/40, 1) {
				to = append(to, fmt.Sprintf("/package-%d/", p))
			}
		case scan(path, "/package-%d/", &c):
			for i := 40 * c; i < min(40*c+40, classes); i++ {
				to = append(to, fmt.Sprintf("/class/%d", i))
			}
		case strings.Contains(path, "."):
			scan(path, "/class/%d", &c)
			to = append(to, fmt.Sprintf("/class/%d", c))
			for range 2 {
				to = append(to, fmt.Sprintf("/class/%d.%d", r.IntN(classes), r.IntN(10)))
			}
		case scan(path, "/class/%d", &c):
			for m := range 10 {
				to = append(to, fmt.Sprintf("/class/%d.%d", c, m))
			}
		}
		return to
	}
}

// measurements are tables of numbers, which all are the same text: a list in pages, each with ten tables, which lead to those
// before and after.
func measurements(n int) func(string) []string {
	return func(path string) (to []string) {
		k := 0
		if scan(path, "/table/%d", &k) {
			return []string{fmt.Sprintf("/table/%d", max(k-1, 0)), fmt.Sprintf("/table/%d", min(k+1, n-1))}
		}
		scan(path, "/tables/from/%d", &k)
		for i := k; i < min(k+10, n); i++ {
			to = append(to, fmt.Sprintf("/table/%d", i))
		}
		return append(to, fmt.Sprintf("/tables/from/%d", min(k+10, n-10)))
	}
}

// manuals is a manual in six languages, five of which are copies of the first: chapters with sections, each of which leads to the
// next and to others by chance.
func manuals(n int) func(string) []string {
	languages := []string{"en", "de", "fr", "ja", "pt", "ru"}
	chapters := max(n/len(languages)/15, 2)
	return func(path string) (to []string) {
		var lang string
		var c, s int
		parts := strings.Split(path, "/")
		if len(parts) > 1 {
			lang = parts[1]
		}
		r := chance(path)
		section := func(c, s int) string { return fmt.Sprintf("/%s/%d/%d.html", lang, c%chapters, s%14) }
		switch {
		case path == "/":
			for _, l := range languages {
				to = append(to, "/"+l+"/")
			}
		case len(parts) == 3:
			for c := range chapters {
				to = append(to, fmt.Sprintf("/%s/%d/", lang, c))
			}
		case scan(strings.Join(parts[2:], "/"), "%d/%d.html", &c, &s):
			to = append(to, section(c+(s+1)/14, s+1), section(r.IntN(chapters), r.IntN(14)), fmt.Sprintf("/%s/%d/", lang, c))
		case scan(parts[2], "%d", &c):
			to = append(to, section(c, 0), section(c, 1), section(c, 2), fmt.Sprintf("/%s/%d/", lang, (c+1)%chapters))
			for s := range 14 {
				to = append(to, section(c, s))
			}
		}
		return to
	}
}

// changelog is one page for each version, which leads to the one before and to what it mends; that leads to where it was found.
func changelog(n int) func(string) []string {
	return func(path string) (to []string) {
		v, i := n/9, 0
		if scan(path, "/issue/%d", &i) {
			return []string{fmt.Sprintf("/version/%d", i/8), fmt.Sprintf("/issue/%d", max(i-chance(path).IntN(50), 0))}
		}
		scan(path, "/version/%d", &v)
		for i := range 8 {
			to = append(to, fmt.Sprintf("/issue/%d", 8*v+i))
		}
		return append(to, fmt.Sprintf("/version/%d", max(v-1, 0)))
	}
}

// tables has a list for each sensor and for each unit, and a table of numbers for each of both together. All lists are linked from
// everywhere.
func tables(n int) func(string) []string {
	const units = 12
	sensors := n / units
	table := func(sensor, unit int) string { return fmt.Sprintf("/data?sensor=%d&unit=%d", sensor, unit) }
	return func(path string) (to []string) {
		var sensor, unit int
		switch {
		case scan(path, "/data?sensor=%d&unit=%d", &sensor, &unit):
		case scan(path, "/data?sensor=%d", &sensor):
			for unit := range units {
				to = append(to, table(sensor, unit))
			}
		case scan(path, "/data?unit=%d", &unit):
			for sensor := range sensors {
				to = append(to, table(sensor, unit))
			}
		}
		for sensor := range sensors {
			to = append(to, fmt.Sprintf("/data?sensor=%d", sensor))
		}
		for unit := range units {
			to = append(to, fmt.Sprintf("/data?unit=%d", unit))
		}
		return to
	}
}

// translatedShop has all in three languages, each on its own by a parameter, and in the first of them without it: categories, and
// five things in each.
func translatedShop(n int) func(string) []string {
	const things = 5
	categories := n / (4 * (things + 1))
	return func(path string) (to []string) {
		at := "/shop?"
		for _, language := range []string{"en", "de", "fr"} {
			to = append(to, "/shop?lang="+language)
			if strings.HasPrefix(path, "/shop?lang="+language) {
				at = "/shop?lang=" + language + "&"
			}
		}
		var category, thing int
		rest := strings.TrimPrefix(path, at)
		switch {
		case scan(rest, "category=%d&id=%d", &category, &thing):
		case scan(rest, "category=%d", &category):
			for i := range things {
				to = append(to, fmt.Sprintf("%scategory=%d&id=%d", at, category, category*things+i))
			}
		default:
			for category := range categories {
				to = append(to, fmt.Sprintf("%scategory=%d", at, category))
			}
		}
		return to
	}
}

// translatedOrList is a key of the same text for all lists of translatedShop, and of one for each thing in each language.
func translatedOrList(path string) string {
	if !strings.Contains(path, "&id=") {
		return "list"
	}
	return strings.Replace(path, "lang=en&", "", 1)
}

// puzzles are three chains of pages of numbers, of each of which a page that leads back to it shows the solution.
func puzzles(n int) func(string) []string {
	chain := n / 6
	return func(path string) (to []string) {
		if path == "/" {
			return []string{"/level/1/1", "/level/2/1", "/level/3/1"}
		}
		if puzzle, ok := strings.CutSuffix(path, "/solution"); ok {
			return []string{puzzle}
		}
		to = append(to, path+"/solution")
		var level, i int
		scan(path, "/level/%d/%d", &level, &i)
		for _, near := range []int{i - 1, i + 1} {
			if 1 <= near && near <= chain {
				to = append(to, fmt.Sprintf("/level/%d/%d", level, near))
			}
		}
		return to
	}
}

// patents have numbers with zeros before them, and lead to five that are a little older; the newest are listed.
func patents(n int) func(string) []string {
	const listed, cited, within = 25, 5, 60
	return func(path string) (to []string) {
		var number int
		if path == "/" {
			for i := range listed {
				to = append(to, fmt.Sprintf("/patent/%07d", n-1-i))
			}
		} else if scan(path, "/patent/%d", &number) {
			r := chance(path)
			for range min(cited, number) {
				to = append(to, fmt.Sprintf("/patent/%07d", number-1-r.IntN(min(within, number))))
			}
		}
		return to
	}
}

// sameFor returns texts that are the same for all paths of which key returns the same.
func sameFor(key func(path string) string) func(string) Text {
	return func(path string) (t Text) {
		r := chance("text of " + key(path))
		t.Hash, t.Words = r.Uint64(), 100
		for i := range t.Sample {
			t.Sample[i] = r.Uint64() | 1
		}
		return t
	}
}

// all is a key of one text for all paths that begin so.
func all(prefix string) func(string) string {
	return func(path string) string {
		if strings.HasPrefix(path, prefix) {
			return prefix
		}
		return path
	}
}

// withoutLanguage is a key of the same text in each language.
func withoutLanguage(path string) string { return path[min(3, len(path)):] }

// stubOrPath is a key of the same text for all members of classes.
func stubOrPath(path string) string {
	if strings.Contains(path, ".") {
		return "stub"
	}
	return path
}

// ofNumbers is the text of tables of numbers, which are all the same word.
func ofNumbers(string) Text { return Text{Hash: 1, Words: 100} }
