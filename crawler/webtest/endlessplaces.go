package webtest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// seeded returns numbers that are the same for the same name.
func seeded(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

var words = strings.Fields(`page river market silver window reader letter garden number winter summer bridge yellow paper music
	engine harbour village stone simple method science history report travel island ocean station railway picture theatre
	kitchen animal forest mountain valley copper metal electric signal memory library printer network crawler server archive
	journal science review artist painter novel poem drama speech council member market price budget income profit bank loan
	house street corner castle tower church school teacher student lesson exam result answer question reason effect cause
	nature weather storm cloud rain snow wind fire water earth plant flower tree leaf root seed fruit apple bread butter milk
	cheese sugar salt pepper coffee tea wine beer bottle glass plate spoon fork knife table chair sofa lamp clock mirror`)

// babble returns n words that are the same for the same name.
func babble(name string, n int) string {
	r := seeded(name)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.IntN(len(words))])
		if r.IntN(12) == 0 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// at makes links of the endless place absolute.
func at(links ...string) []string {
	for i := range links {
		links[i] = endlessPlace + links[i]
	}
	return links
}

// maze leads from each page to five others that nobody has seen.
func maze(path string) (string, string, []string) {
	r := seeded(path)
	var links []string
	for range 5 {
		links = append(links, strconv.FormatUint(r.Uint64(), 36))
	}
	return "Room " + path, babble(path, 80), at(links...)
}

// growingPaths has below each page three more.
func growingPaths(path string) (string, string, []string) {
	r := seeded(path)
	var links []string
	for range 3 {
		links = append(links, path+words[r.IntN(len(words))]+"/")
	}
	return "Below " + path, babble(path, 80), at(links...)
}

// sessionInPath names a new session in all links of each answer; there are forty pages.
func sessionInPath() place {
	r := &shared{r: seeded("sessions")}
	return func(path string) (string, string, []string) {
		_, page, _ := strings.Cut(path, "/")
		n, _ := strconv.Atoi(strings.TrimPrefix(page, "item/"))
		session := fmt.Sprintf("s%012x", r.Int64N(1<<40))
		var links []string
		for i := 1; i <= 4; i++ {
			links = append(links, fmt.Sprintf("%s/item/%d", session, (n*4+i)%40))
		}
		return fmt.Sprintf("Item %d", n), babble("item"+strconv.Itoa(n), 80), at(links...)
	}
}

// shared is a source of numbers for answers given at the same time.
type shared struct {
	mu sync.Mutex // guards r
	r  *rand.Rand
}

func (s *shared) Int64N(n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Int64N(n)
}

func (s *shared) IntN(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.IntN(n)
}

// letterCase writes the names of thirty pages in letters of any case, another one in each answer.
func letterCase() place {
	r := &shared{r: seeded("case")}
	return func(path string) (string, string, []string) {
		name := strings.ToLower(path)
		of := seeded(name)
		var links []string
		for range 6 {
			title := []byte("topic-about-" + words[of.IntN(30)])
			for i := range title {
				if 'a' <= title[i] && title[i] <= 'z' && r.IntN(2) == 0 {
					title[i] -= 'a' - 'A'
				}
			}
			links = append(links, string(title))
		}
		return name, babble(name, 80), at(links...)
	}
}

// slashes doubles slashes and adds parameters to segments, another way in each answer; there are thirty pages.
func slashes() place {
	r := &shared{r: seeded("slashes")}
	return func(path string) (string, string, []string) {
		name, _, _ := strings.Cut(path, ";")
		name = strings.Trim(name[strings.LastIndexByte(strings.TrimRight(name, "/"), '/')+1:], "/")
		of := seeded(name)
		var links []string
		for range 6 {
			l := strings.Repeat("/", r.IntN(4)) + "part" + strings.Repeat("/", 1+r.IntN(4)) + words[of.IntN(30)]
			if r.IntN(2) == 0 {
				l += fmt.Sprintf(";v=%d", r.IntN(1000))
			}
			links = append(links, l)
		}
		return name, babble(name, 80), at(links...)
	}
}

// sameEverywhere answers with one page for all paths.
func sameEverywhere(string) (string, string, []string) {
	return "Welcome", babble("welcome", 80), []string{"offers/", "members/list.html", "../contact/us/", "archive/old.html"}
}

// relativeGrowth has a menu of relative links where absolute ones were meant, and answers by the last segment.
func relativeGrowth(path string) (string, string, []string) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return "About " + name, babble(name, 80), []string{"news/today.html", "shop/list.html", "staff/people.html", "help/faq.html"}
}

// calendar has a page for each year, month and day, with the months before and after, those of the year, and the days.
func calendar(path string) (string, string, []string) {
	var y, m, d int
	n, _ := fmt.Sscanf(path, "%d/%d/%d/", &y, &m, &d)
	if n < 2 || y < 1 || y > 9999 {
		y, m, d = 2026, 11, 0
	}
	month := time.Date(y, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
	name := func(t time.Time) string { return t.Format("2006/01/") }
	links := []string{name(month.AddDate(0, -1, 0)), name(month.AddDate(0, 1, 0))}
	for i := range 12 {
		links = append(links, name(time.Date(y, time.Month(i+1), 1, 0, 0, 0, 0, time.UTC)))
	}
	if d > 0 {
		return month.AddDate(0, 0, d-1).Format("Monday, 2 January 2006"), "No events on this day.", at(links...)
	}
	for t := month; t.Month() == month.Month(); t = t.AddDate(0, 0, 1) {
		links = append(links, t.Format("2006/01/02/"))
	}
	return month.Format("January 2006"), "No events in this month.", at(links...)
}

// facets are names with five values each.
var facets = []string{"colour", "size", "brand", "price", "rating", "material", "year", "country"}

// pathFacets adds each value of each facet that is not chosen yet to the path.
func pathFacets(path string) (string, string, []string) {
	return facetsOf(path, "/", "-", func(chosen []string) string { return strings.Join(chosen, "/") + "/" })
}

// queryFacets does so in the query.
func queryFacets(path string) (string, string, []string) {
	_, query, _ := strings.Cut(path, "?")
	return facetsOf(query, "&", "=", func(chosen []string) string { return "list?" + strings.Join(chosen, "&") })
}

func facetsOf(list, separator, is string, link func([]string) string) (string, string, []string) {
	chosen := strings.FieldsFunc(list, func(r rune) bool { return string(r) == separator })
	var links []string
	for _, f := range facets {
		if slices.ContainsFunc(chosen, func(c string) bool { return strings.HasPrefix(c, f+is) }) {
			continue
		}
		for v := range 5 {
			links = append(links, link(append(slices.Clip(chosen), f+is+strconv.Itoa(v))))
		}
	}
	sorted := slices.Sorted(slices.Values(chosen))
	return "Products", "Showing products. " + babble(fmt.Sprint(sorted), 30), at(links...)
}

// counter leads to the next numbers.
func counter(path string) (string, string, []string) {
	n, _ := strconv.Atoi(strings.Trim(path, "/"))
	return fmt.Sprintf("Record %d", n), babble(path, 60),
		at(fmt.Sprintf("%d/", n+1), fmt.Sprintf("%d/", n+2), fmt.Sprintf("%d/", n+10))
}

// queryCounter does so in a query.
func queryCounter(path string) (string, string, []string) {
	_, s, _ := strings.Cut(path, "id=")
	n, _ := strconv.Atoi(s)
	return fmt.Sprintf("Record %d", n), babble(path, 60), at(fmt.Sprintf("view?id=%d", n+1), fmt.Sprintf("view?id=%d", n+10))
}

// beyondLast has twenty pages of a list, and after these pages that are empty, each with a next one.
func beyondLast(path string) (string, string, []string) {
	n, _ := strconv.Atoi(strings.Trim(strings.TrimPrefix(path, "list/"), "/"))
	text := "There are no entries on this page."
	if n < 20 {
		text = babble(path, 100)
	}
	return fmt.Sprintf("List, page %d", n), text, at(fmt.Sprintf("list/%d/", n+1))
}

// growingQuery adds to the query of each link where it was found.
func growingQuery(path string) (string, string, []string) {
	name, query, _ := strings.Cut(path, "?")
	r := seeded(name)
	var links []string
	for range 3 {
		links = append(links, fmt.Sprintf("post-%d?%s&from%d=%s", r.IntN(40), query, strings.Count(query, "from"), name))
	}
	return "Post " + name, babble(name, 80), at(links...)
}

// visited remembers some of the paths that were asked for.
type visited struct {
	mu    sync.Mutex // guards paths
	paths []string
}

// swap keeps path and returns one that was kept before, if there is one.
func (v *visited) swap(path string, r *rand.Rand) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.paths = append(v.paths, path)
	if len(v.paths) < 10 {
		return "", false
	}
	return v.paths[r.IntN(len(v.paths))], true
}

// tarpit babbles below paths of three words, and on one page of seven leads back to one that was asked for.
func tarpit() place {
	var v visited
	return func(path string) (string, string, []string) {
		r := seeded(path)
		var links []string
		for range 4 + r.IntN(5) {
			word := func() string { return words[r.IntN(len(words))] }
			links = append(links, word()+"/"+word()+"-"+word()+"/"+strconv.Itoa(r.IntN(1000)))
		}
		if back, ok := v.swap(path, r); ok && r.IntN(7) == 0 {
			links = append(links, back)
		}
		return babble(path, 4), babble(path, 100+r.IntN(300)), at(links...)
	}
}

// labyrinth has articles in thirty topics, each with its topic, related articles, the one that led to it, and on one page of four
// an older one.
func labyrinth() place {
	var v visited
	return func(path string) (string, string, []string) {
		r := seeded(path)
		topic := strings.SplitN(path, "/", 2)[0]
		links := []string{topic + "/"}
		for range 4 + r.IntN(6) {
			links = append(links, fmt.Sprintf("%s/%s-%s-%x.html", words[r.IntN(30)], words[r.IntN(len(words))],
				words[r.IntN(len(words))], r.IntN(1<<24)))
		}
		if back, ok := v.swap(path, r); ok && r.IntN(4) == 0 {
			links = append(links, back)
		}
		return babble(path, 5), babble(path, 200+r.IntN(400)), at(links...)
	}
}

// tagSets adds each of forty tags to those that are chosen, always in the same order, so that many ways lead to one page.
func tagSets(path string) (string, string, []string) {
	chosen := strings.FieldsFunc(path, func(r rune) bool { return r == '+' })
	var links []string
	for _, tag := range words[:40] {
		if slices.Contains(chosen, tag) {
			continue
		}
		links = append(links, strings.Join(slices.Sorted(slices.Values(append(slices.Clip(chosen), tag))), "+"))
	}
	return "Tagged " + path, babble(path, 60), at(links...)
}

// mapSquares is a map without an edge: each square leads to the four around it.
func mapSquares(path string) (string, string, []string) {
	var x, y int
	fmt.Sscanf(path, "%d/%d", &x, &y)
	var links []string
	for _, d := range [][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		links = append(links, fmt.Sprintf("%d/%d", x+d[0], y+d[1]))
	}
	return fmt.Sprintf("Square %d, %d", x, y), babble(path, 60), at(links...)
}

// deadEnds is a maze in which one page of three leads nowhere.
func deadEnds(path string) (string, string, []string) {
	title, text, links := maze("dead/" + path)
	if path != "" && seeded("end"+path).IntN(3) == 0 {
		links = nil
	}
	return title, text, links
}

// wildHost leads to five more hosts.
func wildHost(host string) (string, string, []string) {
	r := seeded(host)
	var links []string
	for range 5 {
		links = append(links, fmt.Sprintf("http://h%x.%s/", r.Int64N(1<<40), EndlessDomain))
	}
	return "Shop " + host, babble(host, 100), links
}
