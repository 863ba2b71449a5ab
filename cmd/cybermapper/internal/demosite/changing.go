package demosite

// changing closes a page while it waits in the queue. Its robots.txt is good for four seconds, and pages are a second apart.
func changing() *Site {
	return &Site{
		Name:  "changing",
		About: "asks to read its robots.txt again soon; the second time it closes /draft.html, which is in the queue by then",
		Robots: `User-agent: *
Crawl-delay: 1
`,
		later: `User-agent: *
Crawl-delay: 1
Disallow: /draft.html
`,
		cache: "max-age=4",
		Lessons: []Lesson{
			{Path: "/", Asked: true, Why: "nothing speaks against it"},
			{Path: "/draft.html", Asked: false, Why: "open when it was found, closed before its turn: line 3 of the new file"},
			{Path: "/final.html", Asked: true, Why: "still open"},
		},
		pages: map[string]page{
			"/": html("Changing", "",
				`<a href="/first.html">First</a> <a href="/draft.html">Draft</a> <a href="/final.html">Final</a>`),
			"/first.html": html("First", "", "Before the change, as a rule."),
			"/draft.html": html("Draft", "", "Not any more."),
			"/final.html": html("Final", "", "Here to stay."),
		},
	}
}
