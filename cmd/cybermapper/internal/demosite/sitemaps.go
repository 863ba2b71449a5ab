package demosite

// unlisted is a site most of whose pages no other page links to.
func unlisted() *Site {
	return &Site{
		Name:  "unlisted",
		About: "sitemaps name pages that nothing links to; they are no way around the rules",
		Robots: `User-agent: *
Disallow: /drafts/

Sitemap: {unlisted}/sitemaps.xml
`,
		Lessons: []Lesson{
			{Path: "/", Asked: true, Why: "the seed; it has no links", Kept: KeepPage},
			{Path: "/sitemaps.xml", Asked: true, Why: "robots.txt names it; an index of sitemaps, read and not stored",
				Kept: KeepNot},
			{Path: "/sitemap-1.xml", Asked: true, Why: "the index names it", Kept: KeepNot},
			{Path: "/sitemap-2.txt", Asked: true, Why: "a sitemap may be a list of URLs, one per line", Kept: KeepNot},
			{Path: "/old-news.html", Asked: true, Why: "named in a sitemap, with the day it changed", Kept: KeepPage},
			{Path: "/older-news.html", Asked: true, Why: "named in the other", Kept: KeepPage},
			{Path: "/drafts/novel.html", Asked: false, Why: "named in a sitemap, but closed to robots"},
		},
		pages: map[string]page{
			"/": html("Unlisted", "", "Nothing here leads anywhere."),
			"/sitemaps.xml": {mime: "application/xml", body: `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>{unlisted}/sitemap-1.xml</loc></sitemap>
<sitemap><loc>{unlisted}/sitemap-2.txt</loc></sitemap>
</sitemapindex>
`},
			"/sitemap-1.xml": {mime: "application/xml", body: `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{unlisted}/old-news.html</loc><lastmod>1994-06-30</lastmod></url>
<url><loc>{unlisted}/drafts/novel.html</loc></url>
<url><loc>{example-1}/foo.htm</loc></url>
</urlset>
`},
			"/sitemap-2.txt":     {mime: "text/plain; charset=utf-8", body: "{unlisted}/older-news.html\n"},
			"/old-news.html":     html("Old news", "", "A standard for robots is agreed on."),
			"/older-news.html":   html("Older news", "", "A robot visits the web."),
			"/drafts/novel.html": html("Novel", "", "Chapter one."),
		},
	}
}
