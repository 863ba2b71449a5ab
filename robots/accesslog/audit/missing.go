package audit

import (
	"bytes"
	"hash/maphash"
	"maps"
	"math/bits"
	"slices"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// What shows that pages are missing in the log: so many pages that people got images, styles and scripts for, of which one part in
// so many is not in the log. Of a log that tells all it is a fiftieth: browsers keep some pages.
const (
	fewNamed        = 100
	missingShare    = 5
	maxNamingHosts  = 64
	fewNaming       = 20 // networks from which people come to a host
	assetlessClient = 3  // documents of a client without assets that counts as one
	assetlessShare  = 8
)

// missing finds out whether the log tells of all that people got. A browser names the page when it asks for what belongs to it; if
// that page is not in the log, the log is a sample, or something before the server answers for it: a cache, a network of them.
type missing struct {
	hosts map[string]int64 // that pages were named of, and how often
	most  int64            // of the host that was named most: the site itself; others show its images on their pages
	sites map[string]int64 // of pages that styles were asked for, not saying of which host, and by how many networks
}

// count takes in a request of a person for what belongs to a page.
func (m *missing) count(seed maphash.Seed, c *client, e *accesslog.Entry) {
	host, page := namedPage(e.Referrer)
	if len(page) <= 1 || isAsset(page) { // sites may be named without their pages, and styles have images
		return
	}
	if len(e.Host) == 0 && isStyle(pathOf(e.Target)) && c.looked&bitOf(seed, page) != 0 {
		m.addSite(c, host)
	}
	n, known := m.hosts[string(host)]
	if !known && len(m.hosts) >= maxNamingHosts {
		return
	}
	if m.hosts == nil {
		m.hosts = map[string]int64{}
	}
	m.hosts[string(host)] = n + 1
	if m.most = max(m.most, n+1); n+1 == m.most {
		c.named |= bitOf(seed, page)
	}
}

// namedPage takes a referrer apart: its host without www., and its page, which is empty when it has none.
func namedPage(referrer []byte) (host, page []byte) {
	_, rest, _ := bytes.Cut(referrer, []byte("://"))
	slash := bytes.IndexByte(rest, '/')
	if slash < 0 {
		return nil, nil
	}
	page, _, _ = bytes.Cut(rest[slash:], []byte("#"))
	return bytes.TrimPrefix(rest[:slash], []byte("www.")), page
}

// addSite counts that a page of a host was named by a client that had got it from here: others show what is ours on their pages.
// Anybody can name any host, so each network counts once, for the one that it names first.
func (m *missing) addSite(c *client, host []byte) {
	has := &c.hasSite
	if c.network != nil {
		has = &c.network.hasSite
	}
	if *has {
		return
	}
	*has = true
	if m.sites == nil {
		m.sites = map[string]int64{}
	}
	if _, known := m.sites[string(host)]; known || len(m.sites) < maxNamingHosts {
		m.sites[string(host)]++
	}
}

// isStyle reports whether a path is named as styles and scripts are, which sites get from themselves.
func isStyle(path []byte) bool {
	return bytes.HasSuffix(path, []byte(".css")) || bytes.HasSuffix(path, []byte(".js"))
}

// unsaid returns the hosts of a log that does not say which host was asked, if there are several: those whose pages so many
// networks named, and at least a tenth as many as those of the first. Nobody can be judged then, as each host has a robots.txt and
// a pause of its own.
func (m *missing) unsaid() (hosts []string) {
	most := int64(0)
	for _, n := range m.sites {
		most = max(most, n)
	}
	for host, n := range m.sites {
		if n >= fewNaming && n*oneOfTen >= most {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) < 2 {
		return nil
	}
	slices.Sort(hosts)
	return hosts
}

// bitOf returns the bit of a page in looked and named of a client.
func bitOf(seed maphash.Seed, page []byte) uint64 { return 1 << (maphash.Bytes(seed, page) % 64) }

// missing returns which part of the pages that people looked at is missing in the log; 0 when that is not remarkable.
func (a *Auditor) missing() float64 {
	named, lone := 0, 0
	for _, c := range a.visitors.clients.list {
		named += bits.OnesCount64(c.named)
		lone += bits.OnesCount64(c.named &^ c.looked)
	}
	if named < fewNamed || lone*missingShare < named {
		return 0
	}
	return float64(lone) / float64(named)
}

// fewStale is how many robots at least show that requests for robots.txt do not reach the server.
const fewStale = 3

// stale returns how many robots at some time went on for more than a day without asking for robots.txt, if these are most of those
// that came for so long and asked here, or are known crawlers, if none of these asks again in time and hardly anybody else does;
// or all crawlers, where none asked. One robot does so by itself. Most do so where the log is of one of several servers, and where
// a cache before the server answers for robots.txt and lets pages pass, as Cloudflare's does unless told otherwise: it asks the
// server now and then, for whoever comes first, or never, when only a monitor behind it does. Robots of one owner count as one.
// That some ask in time shows that requests reach the server, whatever names others give themselves.
func (a *Auditor) stale() int {
	hasAsked, isFresh := false, false
	asking, known, all, fresh := map[*family]bool{}, map[*family]bool{}, map[*family]bool{}, map[*family]bool{}
	for _, r := range a.visitors.robots {
		if r.identity == Disproved || r.crawls() == "" {
			continue
		}
		hasAsked = hasAsked || r.asked.hasRequest
		if r.last-r.first <= int64(grace+clockStep) {
			continue
		}
		goesWithout := r.asked.isClear()
		all[r.family] = all[r.family] || goesWithout
		if r.class == ClassRobot {
			known[r.family] = known[r.family] || goesWithout
			isFresh = isFresh || !goesWithout
		}
		if r.asked.hasRequest {
			asking[r.family] = asking[r.family] || goesWithout
			if !goesWithout {
				fresh[r.family] = true
			}
		}
	}
	switch {
	case !hasAsked:
		asking = all
	case !isFresh && len(fresh) < fewStale:
		maps.Copy(asking, known)
	}
	most := len(asking)
	maps.DeleteFunc(asking, func(_ *family, is bool) bool { return !is })
	if len(asking) < fewStale || 2*len(asking) <= most {
		return 0
	}
	return len(asking)
}

// What shows that a log has only a part of each hour, or times that were made up: so many clients came in so many hours, and all of
// them in a few minutes of these.
const (
	fewOfSlices   = 500 // requests
	slicedClients = 50
	slicedHours   = 20
	slicedMinutes = 5
)

// An hourglass finds out whether the requests of a log spread over the hour.
type hourglass struct {
	minutes  uint64 // of the hour, as bits
	hour     int64  // of the latest request
	hours    int    // in which there were some
	requests int64
}

// count takes in a time, in seconds.
func (s *hourglass) count(at int64) {
	s.requests++
	s.minutes |= 1 << (floorDiv(at, 60) - 60*floorDiv(at, 3600))
	if hour := floorDiv(at, 3600); hour != s.hour || s.requests == 1 {
		s.hour = hour
		s.hours++
	}
}

// sliced returns in how many minutes of the hour all requests are; 0 when that is not remarkable.
func (s *hourglass) sliced() int {
	minutes := bits.OnesCount64(s.minutes)
	if s.requests < fewOfSlices || s.hours < slicedHours || minutes > slicedMinutes {
		return 0
	}
	return minutes
}

// maxGlasses bounds the logs that are looked at one by one.
const maxGlasses = 64

// turn counts a request of a log, by its number, whose requests may be in a few minutes of the hour when those of others are not.
func (s *site) turn(file int32, at int64) {
	s.hourglass.count(at)
	if int(file) < maxGlasses {
		for len(s.glasses) <= int(file) {
			s.glasses = append(s.glasses, hourglass{})
		}
		s.glasses[file].count(at)
	}
}

// sliced returns in how many minutes of the hour all requests are, or all of one of the logs; 0 when that is not remarkable, or who
// came are few.
func (a *Auditor) sliced() int {
	if len(a.visitors.clients.list) < slicedClients {
		return 0
	}
	for i := range a.site.glasses {
		if minutes := a.site.glasses[i].sliced(); minutes > 0 {
			return minutes
		}
	}
	return a.site.hourglass.sliced()
}

// hasAssets reports whether the log has what belongs to documents, without which it shows nothing of a client that it got none:
// servers are told to leave it out, caches answer for it, and others serve it.
func (a *Auditor) hasAssets() bool {
	with, without := 0, 0
	for _, c := range a.visitors.clients.list {
		switch {
		case c.robot != nil || !c.agent.class.isPerson():
		case c.assets > 0:
			with++
		case c.documents >= assetlessClient:
			without++
		}
	}
	return with*assetlessShare >= without && with > 0
}
