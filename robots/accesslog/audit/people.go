package audit

import (
	"fmt"
	"strings"
)

// fewDocuments is how many documents a client gets before it is remarkable that it got nothing else.
const fewDocuments = 50

// addPeople sums up the clients that do not say that they are robots, and lists those that behave as if they were. Those of an
// unusual network are no people either, nor is one address with many names that got hardly anything but documents, nor a crowd of
// them.
func (a *Auditor) addPeople(r *Report, by *addresses) {
	one := map[*client]*together{} // that stand for all names of their address
	var odd []*client
	for i := range by.all {
		t := &by.all[i]
		shown := t.plain.documents - t.moved
		isBare := shown >= fewDocuments && t.plain.assets*rarely <= shown
		if isBare && !by.proxies[by.name(t)] && a.visitors.crowded.nameCount(by.name(t)) > 0 {
			c := by.sum(t)
			one[c] = &together{plain: t.plain, moved: t.moved}
			odd = append(odd, c)
			t.plain, t.last = tally{}, 0
		}
	}
	r.Crowd = a.crowd(by)
	for i := range by.all {
		t := &by.all[i]
		if r.Crowd != nil && t.isBare() && !a.isOdd(by, t) {
			continue
		}
		for c := range by.of(t) {
			switch {
			case by.proxies[c.name]:
				r.People.add(c)
				a.site.people += c.taken.Seconds()
			case c.isProber():
				a.site.probes.Clients++
				a.site.probes.Others += int64(c.requests)
			case a.isUnusual(c):
				odd = append(odd, c)
			case c.network == nil || !c.network.odd:
				r.People.add(c)
				a.site.people += c.taken.Seconds()
			}
		}
	}
	sortClients(odd)
	r.UnusualCount = len(odd)
	for _, c := range odd[:min(len(odd), a.o.MaxAddresses)] {
		said := a.unusual(c)
		if t := one[c]; t != nil {
			said.Names = a.visitors.crowded.nameCount(c.name)
			said.Why = []string{fmt.Sprintf("one address with %s names, and %d documents with %d of the images, styles and "+
				"scripts that belong to them",
				atLeast(said.Names, maxNames), t.plain.documents-t.moved, t.plain.assets)}
		}
		r.Unusual = append(r.Unusual, said)
	}
}

// add counts a client, if it asked for anything.
func (p *People) add(c *client) {
	if c.documents+c.assets > 0 {
		p.Clients++
	}
	p.Requests += int64(c.requests)
	p.Documents += int64(c.documents)
	p.Assets += int64(c.assets)
	p.Bytes += c.bytes
}

// unusual tells of a client that behaves as a robot does.
func (a *Auditor) unusual(c *client) Client {
	told := Client{
		Client: c.name, Agent: c.agent.text, First: moment(c.first), Last: moment(c.last), Requests: int64(c.requests),
		Documents: int64(c.documents), Assets: int64(c.assets), Bytes: c.bytes, PeakMinute: int64(c.peak), Asked: int64(c.asked),
		Disallowed: int64(c.disallowed), Evidence: append([]Evidence{}, a.visitors.strays[c]...), Why: a.whyUnusual(c),
		Holder: a.networkHolder(c.name),
	}
	if told.Holder == nil {
		told.Whois = whois(c.name)
	}
	return told
}

// isUnusual reports whether whyUnusual has anything to say.
func (a *Auditor) isUnusual(c *client) bool {
	return c.asksLikeRobots() || a.lacksAssets(c) || a.isFast(c) ||
		c.documents >= fewDocuments/5 && c.agent.class == ClassUnnamed && a.intake.hasAgent || a.visitors.signing[c] > 0
}

// isFast reports whether a client got more documents in a minute than a person reads, as far as the times of the log show that.
func (a *Auditor) isFast(c *client) bool {
	return int(c.peak) > a.o.HumanPace && c.agent != &a.visitors.crowded.agent && !c.isMany() && !c.isApplication(a) &&
		a.sliced() == 0
}

// lacksAssets reports whether a client got many documents and nothing of what belongs to them, which shows nothing of text
// browsers. Nothing belongs to a redirect.
func (a *Auditor) lacksAssets(c *client) bool {
	return c.documents-c.moved >= fewDocuments && c.assets == 0 && a.site.hasAssets && !c.isReader() && !isTextBrowser(c.agent.text)
}

// isTextBrowser reports whether a User-Agent is that of a browser that gets no images and styles.
func isTextBrowser(agent string) bool {
	switch strings.ToLower(product(agent)) {
	case "lynx", "w3m", "emacs-w3m", "links", "elinks", "edbrowse", "retawq", "netrik", "chawan", "offpunk":
		return true
	}
	return false
}

// whyUnusual says what a client does that people do not. Where many people are behind one address, they are fast together.
func (a *Auditor) whyUnusual(c *client) []string {
	var why []string
	if c.asksLikeRobots() {
		why = append(why, "it asked for robots.txt")
	}
	if a.isFast(c) {
		why = append(why, fmt.Sprintf("up to %d documents in a minute", c.peak))
	}
	if a.lacksAssets(c) {
		why = append(why, fmt.Sprintf("%d documents and none of the images, styles and scripts that belong to them",
			c.documents-c.moved))
	}
	if c.agent.class == ClassUnnamed && a.intake.hasAgent && c.documents >= fewDocuments/5 {
		text := "it sends no User-Agent"
		if c.agent.text != "" {
			text = "its User-Agent has no name"
		}
		why = append(why, text)
	}
	if n := a.visitors.signing[c]; n > 0 {
		why = append(why, fmt.Sprintf("it signed %d requests, as robots do", n))
	}
	return why
}
