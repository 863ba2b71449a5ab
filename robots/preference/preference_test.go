package preference_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// said is a capture in the forms in which sites write it.
type said struct {
	robots, usage, reservation string
	metas                      []robots.Meta
	tags                       string // X-Robots-Tag
	tdm                        string
}

func (s said) read() preference.Preferences {
	c := &preference.Capture{
		PathQuery: "/a/b", Rules: robots.Parse([]byte("User-agent: *\n"+s.robots), robots.Cautious).Rules("cybermapper"),
		Header: http.Header{}, Metas: s.metas,
	}
	if s.usage != "" {
		c.Header.Set("Content-Usage", s.usage)
	}
	if s.reservation != "" {
		c.Header.Set("tdm-reservation", s.reservation)
	}
	c.Directives = robots.HeaderDirectives([]string{s.tags}, "cybermapper").Merge(robots.MetaDirectives(s.metas, "cybermapper"))
	if s.tdm != "" {
		c.TDMFile, _ = preference.ParseTDMFile([]byte(s.tdm))
	}
	return preference.Read(c)
}

// combined writes the uses with their values, in the order of the table.
func combined(p preference.Preferences) string {
	var parts []string
	for _, u := range []preference.Use{preference.TrainAI, preference.AIInput, preference.Search, preference.TDM, preference.ImageAI} {
		if v := p.Value(u); v != "" {
			parts = append(parts, fmt.Sprintf("%s=%s", u, v))
		}
	}
	return strings.Join(parts, " ")
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		said said
		want string
	}{
		{"nothing", said{}, ""},

		{"header", said{usage: "train-ai=n, search=y"}, "train-ai=disallow search=allow"},
		{"the last duplicate counts", said{usage: "train-ai=n, train-ai=y"}, "train-ai=allow"},
		{"unknown labels and parameters are ignored", said{usage: `bots=n, genai;x=1, search=y;why="a, b"`}, "search=allow"},
		{"other values are unknown", said{usage: `train-ai=no, search="y"`}, "train-ai=unknown search=unknown"},
		{"a flag is not a token", said{usage: "train-ai"}, "train-ai=unknown"},
		{"keys are lower case", said{usage: "Train-AI=n"}, "train-ai=unknown search=unknown"},
		{"what cannot be read is unknown as a whole", said{usage: "train-ai=n,"}, "train-ai=unknown search=unknown"},
		{"every type of value", said{usage: `a=1, b=-1.5, c="x\"\\", d=:aGk=:, e=?0, f=(a "b";x 1);y, g=@12, h=%"f%c3", i=*t/:, search=y`}, "search=allow"},
		{"no such string", said{usage: `a="x, search=y`}, "train-ai=unknown search=unknown"},
		{"too long", said{usage: "search=y, x=" + strings.Repeat("y", preference.MaxText)}, "train-ai=unknown search=unknown"},

		{"robots.txt", said{robots: "Content-Usage: train-ai=n"}, "train-ai=disallow"},
		{"the longest path counts", said{robots: "Content-Usage: train-ai=n\nContent-Usage: /a train-ai=y"}, "train-ai=allow"},
		{"robots.txt and header: the stricter", said{robots: "Content-Usage: train-ai=n", usage: "train-ai=y"}, "train-ai=disallow"},
		{"unknown does not hide what is clear", said{robots: "Content-Usage: ???", usage: "train-ai=y"}, "train-ai=allow search=unknown"},

		{"signals", said{robots: "Content-Signal: search=yes, AI-Train = NO,ai-input=maybe, use=reference"}, "train-ai=disallow ai-input=unknown search=allow"},
		{"signals twice", said{robots: "Content-Signal: search=yes, search=no"}, "search=disallow"},

		{"tdm header", said{reservation: "1"}, "tdm=disallow"},
		{"tdm header that nobody knows", said{reservation: "yes"}, "tdm=unknown"},
		{"tdm meta", said{metas: []robots.Meta{{Name: "TDM-Reservation", Content: " 0 "}}}, "tdm=allow"},
		{"tdm file", said{tdm: `[{"location":"/a/","tdm-reservation":1,"tdm-policy":"https://p.example/"},{"location":"/a/b","tdm-reservation":0}]`}, "tdm=disallow"},
		{"tdm file: the first match counts", said{tdm: `[{"location":"/*b$","tdm-reservation":0},{"location":"/","tdm-reservation":1}]`}, "tdm=allow"},
		{"tdm file about other places", said{tdm: `[{"location":"/c","tdm-reservation":1}]`}, ""},
		{"tdm file without a value", said{tdm: `[{"location":"/"},{"location":"/","tdm-reservation":1}]`}, ""},
		{"tdm file that cannot be read", said{tdm: `{"location":"/"}`}, "tdm=unknown"},
		{"tdm file with too many entries", said{tdm: "[" + strings.Repeat(`{"location":"/"},`, preference.MaxTDMEntries) + "{}]"}, "tdm=unknown"},
		{"the stricter of two carriers", said{tdm: `[{"location":"/","tdm-reservation":1}]`, reservation: "0"}, "tdm=disallow"},

		{"noai", said{metas: []robots.Meta{{Name: "robots", Content: "noai"}}}, "train-ai=disallow ai-input=disallow image-ai=disallow"},
		{"noimageai", said{tags: "noimageai"}, "image-ai=disallow"},
		{"noai for another robot", said{tags: "otherbot: noai"}, ""},
		{"noai against a signal", said{tags: "noai", robots: "Content-Signal: ai-train=yes, search=yes"}, "train-ai=disallow ai-input=disallow search=allow image-ai=disallow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := combined(tt.said.read()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Statements name what they rest on.
func TestRead_NamesItsSources(t *testing.T) {
	got := said{
		robots: "Content-Signal: search=no # really\n", usage: "search=y", reservation: "1", tags: "noimageai",
		metas: []robots.Meta{{Name: "tdm-reservation", Content: "1"}, {Name: "tdm-policy", Content: "https://p.example/"}},
	}.read()
	want := preference.Preferences{
		{Use: "search", Value: "allow", Source: "content-usage", Place: "header", Text: "search=y"},
		{Use: "search", Value: "disallow", Source: "content-signal", Place: "robots.txt", Line: 2, Text: "Content-Signal: search=no"},
		{Use: "tdm", Value: "disallow", Source: "tdmrep", Place: "header", Text: "1"},
		{Use: "tdm", Value: "disallow", Source: "tdmrep", Place: "meta", Text: "1", Policy: "https://p.example/"},
		{Use: "image-ai", Value: "disallow", Source: "noai", Place: "header", Text: "noimageai"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// However many statements there are, a refusal among them is kept.
func TestRead_IsBounded(t *testing.T) {
	lines := strings.Repeat("Content-Usage: train-ai=y, search=y\n", 2*preference.MaxStatements)
	p := said{robots: lines, tags: "noai"}.read()
	if len(p) > preference.MaxStatements || p.Value(preference.TrainAI) != preference.Disallow {
		t.Errorf("%d statements: %s", len(p), combined(p))
	}
}

func ExampleRead() {
	rules := robots.Parse([]byte("User-agent: *\nContent-Signal: search=yes, ai-train=no\n"), robots.Cautious).Rules("cybermapper")
	header := http.Header{"Content-Usage": {"train-ai=y"}}
	p := preference.Read(&preference.Capture{PathQuery: "/", Rules: rules, Header: header})
	for _, s := range p {
		fmt.Println(s.Use, s.Value, "by", s.Source, "in", s.Place)
	}
	fmt.Println(p.Combined())
	// Output:
	// train-ai allow by content-usage in header
	// search allow by content-signal in robots.txt
	// train-ai disallow by content-signal in robots.txt
	// map[search:allow train-ai:disallow]
}
