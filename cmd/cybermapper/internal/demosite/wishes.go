package demosite

import (
	"fmt"
	"time"
)

// wishing are the sites that wish for more than Allow and Disallow can say.
func wishing() []*Site { return []*Site{nightly(), tagged(), sluggish(), reserved()} }

// nightly welcomes visits at a time of the day that is never now.
func nightly() *Site {
	from := time.Now().UTC().Add(6 * time.Hour).Truncate(time.Hour)
	return &Site{
		Name:   "nightly",
		About:  "welcomes visits at another time of the day (UTC): its pages stay queued until then",
		Robots: fmt.Sprintf("User-agent: *\nVisit-time: %s-%s\n", from.Format("1504"), from.Add(time.Hour).Format("1504")),
		Lessons: []Lesson{
			{Path: "/", Asked: false, Why: "queued until the window of Visit-time opens; only robots.txt may be asked for now"},
		},
		pages: map[string]page{"/": html("Nightly", "", "Quiet hours.")},
	}
}

func tagged() *Site {
	return &Site{
		Name:  "tagged",
		About: "says which parameters change nothing (Clean-param)",
		Robots: `User-agent: *
Clean-param: from /news
`,
		Lessons: []Lesson{
			{Path: "/news?id=1&from=mail", Asked: true, Why: "the first of its kind, asked for as it was linked"},
			{Path: "/news?id=1&from=feed", Asked: false, Why: "differs in nothing that counts: line 2"},
			{Path: "/news?id=2&from=feed", Asked: true, Why: "another id is another page"},
		},
		pages: map[string]page{
			"/": html("Tagged", "",
				`<a href="/news?id=1&amp;from=mail">One</a>`+
					` <a href="/news?id=1&amp;from=feed">One again</a> <a href="/news?id=2&amp;from=feed">Two</a>`),
			"/news?id=1&from=mail": html("News 1", "", "First."),
			"/news?id=1&from=feed": html("News 1", "", "First."),
			"/news?id=2&from=feed": html("News 2", "", "Second."),
		},
	}
}

func sluggish() *Site {
	return &Site{
		Name:  "sluggish",
		About: "asks for pauses so long that only seeds are visited (from 5 minutes on; in this demo from 2.5 seconds)",
		Robots: `User-agent: *
Crawl-delay: 2.6
`,
		Lessons: []Lesson{
			{Path: "/", Asked: true, Why: "a seed, at the pace that is asked for"},
			{Path: "/linked.html", Asked: false, Why: "at that pace links are not worth its while: line 2"},
		},
		pages: map[string]page{
			"/":            html("Sluggish", "", `<a href="/linked.html">On</a>`),
			"/linked.html": html("Linked", "", "Not now."),
		},
	}
}

func reserved() *Site {
	return &Site{
		Name:  "reserved",
		About: "may be visited, but says what for: no training, no mining; and a page that says whose copy it is",
		Robots: `User-agent: *
Content-Signal: search=yes, ai-train=no
Disallow: /master.html
`,
		Lessons: []Lesson{
			{Path: "/.well-known/tdmrep.json", Asked: true,
				Why: "what may be mined (TDMRep): asked for before the pages, for robots.tdmrep_file says so"},
			{Path: "/", Asked: true, Why: "a preference closes nothing", Kept: KeepPage,
				Says: "search=allow tdm=disallow train-ai=disallow"},
			{Path: "/copy.html", Asked: true, Why: "META noai, and a copy of /master.html", Kept: KeepPage,
				Says: "ai-input=disallow image-ai=disallow search=allow tdm=disallow train-ai=disallow, mirror of " +
					"{reserved}/master.html, dynamic"},
			{Path: "/master.html", Asked: false, Why: "closed, and that a copy names it opens nothing"},
		},
		pages: map[string]page{
			"/.well-known/tdmrep.json": {mime: "application/json", body: `[{"location": "/", "tdm-reservation": 1}]`},
			"/": html("Reserved", "", `<a href="/copy.html">A copy</a> <a href="/master.html">of this</a>`,
				`<a href="/.well-known/tdmrep.json">What may be mined</a>`),
			"/copy.html": html("Copy", `<meta name="robots" content="noai"><meta name="url" content="{reserved}/master.html">`+
				`<meta name="document-state" content="dynamic">`, "Copied."),
			"/master.html": html("Master", "", "Not for robots."),
		},
	}
}
