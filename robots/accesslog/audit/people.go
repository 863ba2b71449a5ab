package audit

import "fmt"

// fewDocuments is how many documents a client gets before it is remarkable that it got nothing else.
const fewDocuments = 50

// addPeople sums up the clients that do not say that they are robots, and lists those that behave as if they were. Those of an unusual
// network are no people either, nor is one address with many names that got hardly anything but documents, nor a crowd of them.
func (a *Auditor) addPeople(r *Report) {
	all := byAddress(a.visitors.clients.list)
	one := map[*client]*together{} // that stand for all names of their address
	var odd []*client
	for i := range all {
		t := &all[i]
		if w := a.visitors.crowded.byName[t.clients.name]; w.isMany() && t.documents >= fewDocuments && t.assets*rarely <= t.documents {
			c := t.one()
			one[c] = t
			odd = append(odd, c)
			all[i] = together{}
		}
	}
	r.Crowd = a.crowd(all)
	for i := range all {
		t := &all[i]
		if r.Crowd != nil && t.isBare() && !a.isOdd(t) {
			continue
		}
		for c := t.clients; c != nil; c = c.beside {
			switch {
			case c.probes > 2 && 2*c.probes > c.documents:
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
			said.Names = len(a.visitors.crowded.byName[c.name].names) + manyNames
			said.Why = []string{fmt.Sprintf("one address with %s names, and %d documents with %d of the images, styles and scripts that belong to them",
				atLeast(said.Names, maxNames), t.documents, t.assets)}
		}
		r.Unusual = append(r.Unusual, said)
	}
}

// one sums up the clients of an address.
func (t *together) one() *client {
	sum := newClient(t.clients.name, &unit{}, t.clients.agent)
	for c := t.clients; c != nil; c = c.beside {
		sum.requests, sum.documents, sum.assets, sum.bytes = sum.requests+c.requests, sum.documents+c.documents, sum.assets+c.assets, sum.bytes+c.bytes
		sum.asked, sum.disallowed = sum.asked+c.asked, sum.disallowed+c.disallowed
		sum.first, sum.last, sum.peak = min(sum.first, c.first), max(sum.last, c.last), max(sum.peak, c.peak)
	}
	return &sum
}

// add counts a client.
func (p *People) add(c *client) {
	p.Clients++
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
	return c.asked > 0 || c.documents >= fewDocuments && c.assets == 0 || int(c.peak) > a.o.HumanPace && c.agent != &a.visitors.crowded.agent ||
		c.documents >= fewDocuments/5 && c.agent.class == ClassUnnamed && a.intake.hasAgent || a.visitors.signing[c] > 0
}

// whyUnusual says what a client does that people do not. Where many people are behind one address, they are fast together.
func (a *Auditor) whyUnusual(c *client) []string {
	var why []string
	if c.asked > 0 {
		why = append(why, "it asked for robots.txt")
	}
	if int(c.peak) > a.o.HumanPace && c.agent != &a.visitors.crowded.agent {
		why = append(why, fmt.Sprintf("up to %d documents in a minute", c.peak))
	}
	if c.documents >= fewDocuments && c.assets == 0 {
		why = append(why, fmt.Sprintf("%d documents and none of the images, styles and scripts that belong to them", c.documents))
	}
	if c.agent.class == ClassUnnamed && a.intake.hasAgent && c.documents >= fewDocuments/5 {
		why = append(why, "it sends no User-Agent")
	}
	if n := a.visitors.signing[c]; n > 0 {
		why = append(why, fmt.Sprintf("it signed %d requests, as robots do", n))
	}
	return why
}
