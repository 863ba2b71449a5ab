package audit

import "fmt"

// fewDocuments is how many documents a client gets before it is remarkable that it got nothing else.
const fewDocuments = 50

// addPeople sums up the clients that do not say that they are robots, and lists those that behave as if they were. Those of an unusual
// network are no people either.
func (a *Auditor) addPeople(r *Report) {
	var odd []*client
	for _, c := range a.clients.list {
		if c.robot != nil || c.agent.token != "" {
			continue
		}
		if len(a.whyUnusual(c)) > 0 {
			odd = append(odd, c)
			continue
		}
		if c.network != nil && c.network.odd {
			continue
		}
		r.People.Clients++
		r.People.Requests += int64(c.requests)
		r.People.Documents += int64(c.documents)
		r.People.Assets += int64(c.assets)
		r.People.Bytes += c.bytes
	}
	sortClients(odd)
	r.UnusualCount = len(odd)
	for _, c := range odd[:min(len(odd), a.o.MaxAddresses)] {
		r.Unusual = append(r.Unusual, Client{
			Client: c.name, Agent: c.agent.text, First: moment(c.first), Last: moment(c.last), Requests: int64(c.requests),
			Documents: int64(c.documents), Assets: int64(c.assets), Bytes: c.bytes, PeakMinute: int64(c.peak), Asked: int64(c.asked),
			Disallowed: int64(c.disallowed), Evidence: append([]Evidence{}, a.strays[c]...), Why: a.whyUnusual(c),
			Holder: a.networkHolder(c.name),
		})
		if last := &r.Unusual[len(r.Unusual)-1]; last.Holder == nil {
			last.Whois = whois(c.name)
		}
	}
}

// whyUnusual says what a client does that people do not.
func (a *Auditor) whyUnusual(c *client) []string {
	var why []string
	if c.asked > 0 {
		why = append(why, "it asked for robots.txt")
	}
	if int(c.peak) > a.o.HumanPace {
		why = append(why, fmt.Sprintf("up to %d documents in a minute", c.peak))
	}
	if c.documents >= fewDocuments && c.assets == 0 {
		why = append(why, fmt.Sprintf("%d documents and none of the images, styles and scripts that belong to them", c.documents))
	}
	if c.agent.class == ClassUnnamed && a.hasAgent && c.documents >= fewDocuments/5 {
		why = append(why, "it sends no User-Agent")
	}
	if n := a.signing[c]; n > 0 {
		why = append(why, fmt.Sprintf("it signed %d requests, as robots do", n))
	}
	return why
}
