package demosite

import (
	"fmt"
	"path"
	"strings"
)

// sites returns all sites in the order in which they are presented.
func sites() []*Site {
	all := []*Site{exampleOne(), exampleTwo(), exampleThree(), exceptions(), unhurried(), pageRules(), detours(), down()}
	for _, s := range all {
		if s.Robots != "" {
			s.pages["/robots.txt"] = page{mime: "text/plain; charset=utf-8", body: s.Robots}
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
			{"/", true, "nothing speaks against it"},
			{"/cyberworld/", true, "only the map below it is closed"},
			{"/cyberworld/map/*", false, "closed to robots: it has no end"},
			{"/tmp/*", false, "closed to robots: it will soon disappear"},
			{"/foo.html", false, "closed to robots"},
			{"/foo.htm", true, "a rule is a prefix of the path, and this is not it"},
		},
		endless: "/cyberworld/map/",
		pages: map[string]page{
			"/": html("Example 1", "",
				`<a href="/cyberworld/">Cyberworld</a>`, `<a href="/cyberworld/map/">The map</a>`, `<a href="/tmp/draft.html">A draft</a>`,
				`<a href="/foo.html">Foo</a>`, `<a href="/foo.htm">Foo without l</a>`),
			"/cyberworld/":    html("Cyberworld", "", `See <a href="map/atlantis">the map of Atlantis</a>.`),
			"/tmp/draft.html": html("Draft", "", "This will soon disappear."),
			"/foo.html":       html("Foo", "", "Not for robots."),
			"/foo.htm":        html("Foo", "", "For everybody."),
		},
	}
}

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
			{"/", true, "nothing speaks against it"},
			{"/cyberworld/map/", true, "its own group lets cybermapper in"},
			{"/cyberworld/map/1/2/3/4/5/", true, "still inside all bounds"},
			{"/cyberworld/map/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/", false, "permission does not replace a bound: too many path segments"},
			{"/cyberworld/map/north/north/north/*", false, "the same segment again and again: a trap"},
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
		Lessons: []Lesson{{"/*", false, "the whole site is closed to robots"}},
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
			{"/", true, "a group that names us replaces the one for *"},
			{"/private/plans.html", false, "closed"},
			{"/private/press/", true, "the longer Allow wins over the shorter Disallow"},
			{"/paper.pdf", false, "ends in .pdf"},
			{"/paper.pdf.html", true, "does not end in .pdf: $ is the end"},
			{"/list?page=2", true, "no sort= in the query"},
			{"/list?page=2&sort=name", false, "* stands for page=2&"},
			{"/same", true, "of two rules of equal length Allow wins"},
		},
		pages: map[string]page{
			"/": html("Exceptions", "",
				`<a href="/private/plans.html">Plans</a>`, `<a href="/private/press/">Press</a>`, `<a href="/paper.pdf">A paper</a>`,
				`<a href="/paper.pdf.html">About the paper</a>`, `<a href="/list?page=2">Page 2</a>`,
				`<a href="/list?page=2&amp;sort=name">Page 2 by name</a>`, `<a href="/same">Both allowed and not</a>`),
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
			{"/", true, "an empty Disallow closes nothing"},
			{"/one.html", true, "two seconds later"},
			{"/two.html", true, "two more seconds later"},
		},
		pages: map[string]page{
			"/":         html("Unhurried", "", `<a href="one.html">One</a> <a href="two.html">Two</a>`),
			"/one.html": html("One", "", "The first."),
			"/two.html": html("Two", "", "The second."),
		},
	}
}

func pageRules() *Site {
	return &Site{
		Name:  "page-rules",
		About: "what a page may ask for itself: META ROBOTS, X-Robots-Tag, rel=nofollow",
		Robots: `# nothing is closed here
User-agent: *
Allow: /
`,
		Lessons: []Lesson{
			{"/noindex.html", true, "asked for, not stored (META noindex), its links followed"},
			{"/behind-noindex.html", true, "noindex says nothing about links"},
			{"/nofollow.html", true, "stored, none of its links followed (META nofollow)"},
			{"/behind-nofollow.html", false, "only a nofollow page leads here"},
			{"/none.html", true, "not stored, its links not followed (X-Robots-Tag: none)"},
			{"/behind-none.html", false, "only a page marked none leads here"},
			{"/other-robot.html", true, "stored: its X-Robots-Tag names another robot"},
			{"/sponsored.html", false, "the only link to it is marked rel=nofollow"},
			{"/vote?for=cats", false, "a vote link: following it would do something"},
			{"/copy.html", true, "the same bytes as /original.html: noted, stored once"},
		},
		pages: map[string]page{
			"/": html("Page rules", "",
				`<a href="/noindex.html">Noindex</a>`, `<a href="/nofollow.html">Nofollow</a>`, `<a href="/none.html">None</a>`,
				`<a href="/other-robot.html">Another robot</a>`, `<a href="/sponsored.html" rel="nofollow sponsored">Buy</a>`,
				`<a href="/vote?for=cats">Vote for cats</a>`, `<a href="/original.html">Original</a> <a href="/copy.html">Copy</a>`,
				`<a href="mailto:webmaster@www.example.com">Mail</a> <a href="javascript:void(0)">Click</a>`),
			"/noindex.html":         html("Noindex", `<meta name="ROBOTS" content="NOINDEX">`, `<a href="/behind-noindex.html">On</a>`),
			"/behind-noindex.html":  html("Behind noindex", "", "Found on a page that is not stored."),
			"/nofollow.html":        html("Nofollow", `<meta name="robots" content="nofollow">`, `<a href="/behind-nofollow.html">On</a>`),
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
			{"/moved", true, "leads to /new-home.html"},
			{"/new-home.html", true, "the end of a redirect"},
			{"/short-cut", true, "leads into /hidden/, which is closed"},
			{"/hidden/*", false, "closed, and a redirect is no way around that"},
			{"/elsewhere", true, "leads to a site that wants no robots"},
			{"/round-a", true, "leads to /round-b, which leads back: a loop, noticed"},
			{"/shaky.html", true, "an error at first; asked for again later"},
			{"/gone.html", true, "410: gone, and that is an answer"},
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
		Lessons: []Lesson{{"/*", false, "until robots.txt can be had, the whole site counts as closed"}},
		pages: map[string]page{
			"/robots.txt": {status: 503, retry: "600", mime: "text/plain", body: "Back in ten minutes.\n"},
			"/":           html("Down", "", "If you read this, you did not ask for robots.txt."),
		},
	}
}
