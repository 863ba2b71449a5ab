// Package demosite is a small web on loopback that shows every rule of the Robots Exclusion Protocol at work.
//
// The nouns: a [Web] is a set of sites, a [Site] is one host with an address of its own and something to teach, a [Lesson]
// is one path of it and whether a polite crawler asks for it. The servers keep a log of their own, so that what a
// crawler claims can be compared with what was asked: [Web.Hits].
//
// Promises: everything is served from memory on loopback, without the network; a page links to everything that its site has
// lessons on, so that a crawler that asks for less did so because it was told to.
//
// Limits: one space of pages has no end, as the example in the standard of 1994 says. A crawler needs a bound of its own
// there.
//
//	web, err := demosite.Start()
//	if err != nil {
//		return err
//	}
//	defer web.Close()
//	for _, site := range web.Sites {
//		fmt.Println(site.URL, site.About)
//	}
//
// # Design
//
// The sites are data, in sites.go; the little code beside them serves them. Addresses and ports are the same each time if
// they are free, so that URLs in a job directory of yesterday still mean something today.
package demosite
