package demosite

import (
	"fmt"
	"path"
	"strings"
)

// sites returns all sites in the order in which they are presented.
func sites() []*Site {
	all := []*Site{exampleOne(), exampleTwo(), exampleThree(), exceptions(), unhurried(), pageRules(), detours(),
		down(), unlisted()}
	all = append(append(all, wishing()...), changing())
	for _, s := range all {
		if s.Robots != "" {
			s.pages["/robots.txt"] = page{mime: "text/plain; charset=utf-8", cache: s.cache, body: s.Robots, later: s.later}
		}
	}
	return all
}

func exampleOne() *Site {
	return &Site{
		Name:  "example-1",
		About: "the first example of the 1994 standard: three places are closed to every robot",
		Robots: `# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # This is an infinite virtual URL space
Disallow: /tmp/ # these will soon disappear
Disallow: /foo.html
`,
		Lessons: []Lesson{
			{Path: "/", Asked: true, Why: "nothing speaks against it"},
			{Path: "/cyberworld/", Asked: true, Why: "only the map below it is closed"},
			{Path: "/cyberworld/map/*", Asked: false, Why: "closed to robots: it has no end"},
			{Path: "/tmp/*", Asked: false, Why: "closed to robots: it will soon disappear"},
			{Path: "/foo.html", Asked: false, Why: "closed to robots"},
			{Path: "/foo.htm", Asked: true, Why: "a rule is a prefix of the path, and this is not it", Kept: KeepPage},
			{Path: "/submitted.html", Asked: true, Why: "no page links to it: it was submitted while the crawl ran",
				Kept: KeepPage},
		},
		endless: "/cyberworld/map/",
		pages: map[string]page{
			"/": html("Example 1", "",
				`<a href="/cyberworld/">Cyberworld</a>`, `<a href="/cyberworld/map/">The map</a>`,
				`<a href="/tmp/draft.html">A draft</a>`, `<a href="/foo.html">Foo</a>`, `<a href="/foo.htm">Foo without l</a>`),
			"/cyberworld/":    html("Cyberworld", "", `See <a href="map/atlantis">the map of Atlantis</a>.`),
			"/tmp/draft.html": html("Draft", "", "This will soon disappear."),
			"/foo.html":       html("Foo", "", "Not for robots."),
			"/foo.htm":        html("Foo", "", "For everybody."),
			"/submitted.html": html("Submitted", "", "No page links here."),
		},
	}
}

// Submitted returns paths of the first site that no page links to, for somebody to submit; the second is closed to robots.
func Submitted() []string { return []string{"submitted.html", "tmp/submitted.html"} }

func exampleTwo() *Site {
	return &Site{
		Name:  "example-2",
		About: "the second example: cybermapper may go everywhere, even where the space is infinite",
		Robots: `# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # This is an infinite virtual URL space

# Cybermapper knows where to go.
User-agent: cybermapper
Disallow:
`,
		Lessons: []Lesson{
			{Path: "/", Asked: true, Why: "nothing speaks against it"},
			{Path: "/cyberworld/map/", Asked: true, Why: "its own group lets cybermapper in"},
			{Path: "/cyberworld/map/1/2/3/4/5/", Asked: true, Why: "still inside all bounds"},
			{Path: "/cyberworld/map/1/2/3/4/5/6/7/8/9/10/11/*", Asked: false,
				Why: "permission does not replace a bound: the map looks endless, so the rest is parked"},
			{Path: "/cyberworld/map/north/north/north/*", Asked: false, Why: "the same segment again and again: a trap"},
		},
		endless: "/cyberworld/map/",
		pages: map[string]page{
			"/": html("Example 2", "", `<a href="/cyberworld/map/">The infinite map</a>`),
		},
	}
}

// room returns one page of an infinite virtual URL space: there is always one behind it.
func room(at string) page {
	last := path.Base(at)
	if last == "north" {
		return html("North of "+path.Base(path.Dir(at)), "", fmt.Sprintf(`<a href="%snorth/">Further north</a>`, slashed(at)))
	}
	n := strings.Count(strings.Trim(at, "/"), "/")
	door := fmt.Sprintf(`<a href="%s%d/">The next room</a>`, slashed(at), n)
	if last == "map" {
		door += fmt.Sprintf(` <a href="%snorth/">The way north</a>`, slashed(at))
	}
	return html(fmt.Sprintf("Room %d", n-1), "", door)
}

func slashed(path string) string { return strings.TrimSuffix(path, "/") + "/" }

func exampleThree() *Site {
	return &Site{
		Name:  "example-3",
		About: "the third example: robots, go away",
		Robots: `# go away
User-agent: *
Disallow: /
`,
		Lessons: []Lesson{{Path: "/*", Asked: false, Why: "the whole site is closed to robots"}},
		pages:   map[string]page{"/": html("Example 3", "", "Nothing to see here, for robots.")},
	}
}

func exceptions() *Site {
	return &Site{
		Name:  "exceptions",
		About: "Allow makes exceptions, * and $ are wildcards, the longest rule wins (RFC 9309)",
		Robots: `User-agent: *
Disallow: /

User-agent: CyberMapper
Disallow: /private/
Allow: /private/press/
Disallow: /*.pdf$
Disallow: /list?*sort=
Allow: /same
Disallow: /same
`,
		Lessons: []Lesson{
			{Path: "/", Asked: true, Why: "a group that names us replaces the one for *"},
			{Path: "/private/plans.html", Asked: false, Why: "closed"},
			{Path: "/private/press/", Asked: true, Why: "the longer Allow wins over the shorter Disallow"},
			{Path: "/paper.pdf", Asked: false, Why: "ends in .pdf"},
			{Path: "/paper.pdf.html", Asked: true, Why: "does not end in .pdf: $ is the end"},
			{Path: "/list?page=2", Asked: true, Why: "no sort= in the query"},
			{Path: "/list?page=2&sort=name", Asked: false, Why: "* stands for page=2&"},
			{Path: "/same", Asked: true, Why: "of two rules of equal length Allow wins"},
		},
		pages: map[string]page{
			"/": html("Exceptions", "",
				`<a href="/private/plans.html">Plans</a>`, `<a href="/private/press/">Press</a>`,
				`<a href="/paper.pdf">A paper</a>`, `<a href="/paper.pdf.html">About the paper</a>`,
				`<a href="/list?page=2">Page 2</a>`, `<a href="/list?page=2&amp;sort=name">Page 2 by name</a>`,
				`<a href="/same">Both allowed and not</a>`),
			"/private/plans.html":    html("Plans", "", "Secret."),
			"/private/press/":        html("Press", "", "Public."),
			"/paper.pdf":             {mime: "application/pdf", body: "%PDF-1.4\n%%EOF\n"},
			"/paper.pdf.html":        html("About the paper", "", "An abstract."),
			"/list?page=2":           html("Page 2", "", "Entries 11 to 20."),
			"/list?page=2&sort=name": html("Page 2 by name", "", "Entries 11 to 20."),
			"/same":                  html("Both", "", "In doubt, allowed."),
		},
	}
}

func unhurried() *Site {
	return &Site{
		Name:  "unhurried",
		About: "asks for two seconds between requests, which is more than we would have left by ourselves",
		Robots: `User-agent: *
Crawl-delay: 2
Disallow:
`,
		Lessons: []Lesson{
			{Path: "/", Asked: true, Why: "an empty Disallow closes nothing"},
			{Path: "/one.html", Asked: true, Why: "two seconds later"},
			{Path: "/two.html", Asked: true, Why: "two more seconds later"},
		},
		pages: map[string]page{
			"/":         html("Unhurried", "", `<a href="one.html">One</a> <a href="two.html">Two</a>`),
			"/one.html": html("One", "", "The first."),
			"/two.html": html("Two", "", "The second."),
		},
	}
}

// LeftAlone is a domain whose owner has asked the operator of the demo to stay away. A page links to a host of it.
const LeftAlone = "left-alone.example"

// OptOut is the operator's list of those who asked.
const OptOut = "# asked to be left alone\n*." + LeftAlone + "\n"

func pageRules() *Site {
	return &Site{
		Name:  "page-rules",
		About: "what a page may ask for itself: META ROBOTS, X-Robots-Tag, rel=nofollow",
		Robots: `# nothing is closed here
User-agent: *
Allow: /
`,
		Lessons: []Lesson{
			{Path: "/noindex.html", Asked: true, Why: "asked for, not stored (META noindex), its links followed", Kept: KeepNot},
			{Path: "/behind-noindex.html", Asked: true, Why: "noindex says nothing about links", Kept: KeepPage},
			{Path: "/nofollow.html", Asked: true, Why: "stored, none of its links followed (META nofollow)", Kept: KeepPage},
			{Path: "/behind-nofollow.html", Asked: false, Why: "only a nofollow page leads here"},
			{Path: "/none.html", Asked: true, Why: "not stored, its links not followed (X-Robots-Tag: none)", Kept: KeepNot},
			{Path: "/behind-none.html", Asked: false, Why: "only a page marked none leads here"},
			{Path: "/other-robot.html", Asked: true, Why: "stored: its X-Robots-Tag names another robot", Kept: KeepPage},
			{Path: "/sponsored.html", Asked: false, Why: "the only link to it is marked rel=nofollow"},
			{Path: "/vote?for=cats", Asked: false, Why: "a vote link: following it would do something"},
			{Path: "/copy.html", Asked: true, Why: "the same bytes as /original.html: noted, stored once", Kept: KeepOnce},
		},
		pages: map[string]page{
			"/": html("Page rules", "",
				`<a href="/noindex.html">Noindex</a>`, `<a href="/nofollow.html">Nofollow</a>`, `<a href="/none.html">None</a>`,
				`<a href="/other-robot.html">Another robot</a>`, `<a href="/sponsored.html" rel="nofollow sponsored">Buy</a>`,
				`<a href="/vote?for=cats">Vote for cats</a>`, `<a href="/original.html">Original</a> <a href="/copy.html">Copy</a>`,
				`<a href="http://www.`+LeftAlone+`/">A neighbour</a>`,
				`<a href="mailto:webmaster@www.example.com">Mail</a> <a href="javascript:void(0)">Click</a>`),
			"/noindex.html": html("Noindex", `<meta name="ROBOTS" content="NOINDEX">`,
				`<a href="/behind-noindex.html">On</a>`),
			"/behind-noindex.html": html("Behind noindex", "", "Found on a page that is not stored."),
			"/nofollow.html": html("Nofollow", `<meta name="robots" content="nofollow">`,
				`<a href="/behind-nofollow.html">On</a>`),
			"/behind-nofollow.html": html("Behind nofollow", "", "Nobody comes here."),
			"/none.html":            withRobots("none", html("None", "", `<a href="/behind-none.html">On</a>`)),
			"/behind-none.html":     html("Behind none", "", "Nobody comes here."),
			"/other-robot.html":     withRobots("otherbot: noindex", html("Another robot", "", "We are not otherbot.")),
			"/sponsored.html":       html("Sponsored", "", "Somebody paid for this."),
			"/vote?for=cats":        html("Thank you", "", "Your vote counts."),
			"/original.html":        html("Twins", "", "We look alike."),
			"/copy.html":            html("Twins", "", "We look alike."),
		},
	}
}

func withRobots(tag string, p page) page {
	p.robots = tag
	return p
}

func detours() *Site {
	return &Site{
		Name:  "detours",
		About: "redirects are links, and meet the same rules; a page that fails is tried again",
		Robots: `User-agent: *
Disallow: /hidden/
`,
		Lessons: []Lesson{
			{Path: "/moved", Asked: true, Why: "leads to /new-home.html"},
			{Path: "/new-home.html", Asked: true, Why: "the end of a redirect"},
			{Path: "/short-cut", Asked: true, Why: "leads into /hidden/, which is closed"},
			{Path: "/hidden/*", Asked: false, Why: "closed, and a redirect is no way around that"},
			{Path: "/elsewhere", Asked: true, Why: "leads to a site that wants no robots"},
			{Path: "/round-a", Asked: true, Why: "leads to /round-b, which leads back: a loop, noticed"},
			{Path: "/shaky.html", Asked: true, Why: "an error at first; asked for again later"},
			{Path: "/gone.html", Asked: true, Why: "410: gone, and that is an answer"},
		},
		pages: map[string]page{
			"/": html("Detours", "",
				`<a href="/moved">Moved</a>`, `<a href="/short-cut">Short cut</a>`, `<a href="/elsewhere">Elsewhere</a>`,
				`<a href="/round-a">Round and round</a>`, `<a href="/shaky.html">Shaky</a>`, `<a href="/gone.html">Gone</a>`),
			"/moved":                {status: 301, location: "/new-home.html"},
			"/new-home.html":        html("New home", "", "Here it is."),
			"/short-cut":            {status: 302, location: "/hidden/treasure.html"},
			"/hidden/treasure.html": html("Treasure", "", "Not for robots."),
			"/elsewhere":            {status: 302, location: "{example-3}/"},
			"/round-a":              {status: 302, location: "/round-b"},
			"/round-b":              {status: 302, location: "/round-a"},
			"/shaky.html":           onceFailing(html("Shaky", "", "It works now.")),
			"/gone.html":            {status: 410, body: "Gone."},
		},
	}
}

func onceFailing(p page) page {
	p.once = 500
	return p
}

func down() *Site {
	return &Site{
		Name:    "down",
		About:   "answers 503 to robots.txt: nobody knows its rules, so nothing is asked for",
		Lessons: []Lesson{{Path: "/*", Asked: false, Why: "until robots.txt can be fetched, the whole site counts as closed"}},
		pages: map[string]page{
			"/robots.txt": {status: 503, retry: "600", mime: "text/plain", body: "Back in ten minutes.\n"},
			"/":           html("Down", "", "If you read this, you did not ask for robots.txt."),
		},
	}
}
