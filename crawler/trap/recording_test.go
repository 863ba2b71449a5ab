package trap

import (
	"bufio"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// recordings are of live programs, as testdata/README.md tells.
var recordings = []struct {
	name    string
	seed    string
	content string // a regular expression of the addresses of what must not be lost; other pages show it once more
	pages   int    // of content
	most    int    // requests, after which the crawl has ended; a little more than in the worst of 36 orders
}{
	{"apacheindex", "/", `.`, 3475, 3475},
	{"pydoc", "/", `.`, 529, 529},
	{"sqlitedoc", "/", `.`, 1184, 1184},
	{"dokuwiki", "/", `^/doku\.php(\?id=[^&]*)?$`, 177, 520},
	{"mediawiki", "/", `^/index\.php/(Category:)?[^?:]*$`, 132, 408},
	{"wordpress", "/", `^/20\d\d/\d\d/[^/?]+/$`, 161, 291},
	{"redmine", "/", `^/(issues/\d+|boards/\d+/topics/\d+|news/\d+|projects/[^/]+/wiki/[^/?]+)$`, 496, 2700},
	{"cgit", "/", `^/delta/(commit/\?id=[^&]*|(tree|plain)/[^?]+|tag/.*)$`, 40, 1290},
	{"igal", "/", `.`, 165, 165},
	{"museum", "/", `^/hall/\d+$`, 40, 200},
	{"nodebb", "/categories", `^/topic/\d+/[^/?]+(\?page=\d+)?$`, 29, 870},
	{"zoph", "/zoph.php", `^/image\.php\?photo_id=\d+$`, 48, 3650},
	{"fossil", "/timeline", `^/(tktview/[^?]*|wiki\?name=[^&]*|info/[^?]*)$`, 441, 3400},
}

// Ensure that nothing that live programs publish is put aside, whatever the order in which pages come, and that what they show of
// it without end ends.
func TestDetector_Recordings(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine has no races, and is slow when they are looked for")
	}
	orders := 6
	if testing.Short() {
		orders = 2
	}
	for _, tt := range recordings {
		t.Run(tt.name, func(t *testing.T) {
			recorded, content := readRecording(t, tt.name), regexp.MustCompile(tt.content)
			for order := range orders + furtherOrders() {
				r := (&replay{most: len(recorded.pages) + 1, answers: recorded.answers}).inOrder(order)
				r.run(tt.seed)
				pages, missed := 0, ""
				for path, a := range recorded.pages {
					switch is := a.ok && content.MatchString(path); {
					case is && r.done[path]:
						pages++
					case is:
						missed = path
					}
				}
				t.Logf("order %d: %d requests, %d pages, %d of content; %d URLs parked", order, r.asked, r.visited, pages, len(r.asides))
				if pages != tt.pages || missed != "" || r.asked > tt.most {
					t.Errorf("order %d: %d pages of content after %d requests, want %d after at most %d; missed %q; found %v",
						order, pages, r.asked, tt.pages, tt.most, missed, r.found)
				}
			}
		})
	}
}

// A recording is what a site answered to a crawl that put nothing aside.
type recording struct {
	pages   map[string]answered
	urls    []string
	phrases uint64 // that stand on one page only, so far
}

func (r *recording) answers(path string) answered { return r.pages[path] }

// readRecording reads a file of testdata.
func readRecording(t testing.TB, name string) *recording {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{pages: map[string]answered{}}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for s.Scan() && s.Text() != "" {
		r.urls = append(r.urls, withHashes(s.Text()))
	}
	for s.Scan() {
		url, rest, _ := strings.Cut(s.Text(), " ")
		if to, moved := strings.CutPrefix(rest, ">"); moved {
			r.pages[r.url(url)] = answered{movedTo: r.url(to)}
		} else if fields := strings.Split(rest, ";"); len(fields) >= 4 {
			a := r.page(r.url(url), fields[0], fields[1], fields[2], fields[3])
			a.pictures = r.links(strings.Join(fields[4:], ","))
			r.pages[r.url(url)] = a
		}
	}
	if s.Err() != nil || len(r.pages) == 0 {
		t.Fatalf("%s has %d pages: %v", name, len(r.pages), s.Err())
	}
	return r
}

// page reads what a recording has of a page.
func (r *recording) page(url, facts, hash, phrases, links string) answered {
	a := answered{ok: true, to: r.links(links)}
	facts, canonical, has := strings.Cut(facts, "c")
	if has {
		a.canonical = r.url(canonical)
	}
	a.unkept, a.made = strings.Contains(facts, "k"), strings.Contains(facts, "m")
	if hash != "0" {
		a.text.Words = 100
	}
	if a.text.Hash, _ = strconv.ParseUint(hash, 16, 64); hash == "-" {
		a.text.Hash = xxhash.Sum64String(url)
	}
	if phrases == "" {
		return a
	}
	for i, phrase := range strings.Split(phrases, ",") {
		if a.text.Sample[i], _ = strconv.ParseUint(phrase, 10, 64); phrase == "" {
			r.phrases++
			a.text.Sample[i] = 1<<32 + r.phrases
		}
	}
	return a
}

// links reads the numbers of addresses: 3,7-9.
func (r *recording) links(numbers string) (to []string) {
	for numbers := range strings.SplitSeq(numbers, ",") {
		first, last, isRange := strings.Cut(numbers, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		until, _ := strconv.Atoi(last)
		if err == nil {
			to = append(to, r.urls[from:until+1]...)
		}
	}
	return to
}

// url reads the number of an address.
func (r *recording) url(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	return r.urls[n]
}

// shortHash stands for the hash of a revision in an address: its number, and how many digits are shown.
var shortHash = regexp.MustCompile(`\{(\d+)\.(\d+)\}`)

// withHashes returns an address with the hashes of revisions that it had.
func withHashes(url string) string {
	return shortHash.ReplaceAllStringFunc(url, func(short string) string {
		var n, digits int
		_, _ = fmt.Sscanf(short, "{%d.%d}", &n, &digits)
		h := sha1.Sum([]byte(strconv.Itoa(n)))
		return hex.EncodeToString(h[:])[:min(digits, 40)]
	})
}
