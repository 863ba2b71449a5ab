package audit_test

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// adversaryRules closes a part of the site to all, and asks all for a pause.
const adversaryRules = "User-agent: *\nDisallow: /private/\nCrawl-delay: 10\n"

// visitAll adds robots of all kinds, drawn at random, and people. The honest keep the pause from one request to the next, or from
// the end of an answer; each of the others breaks one rule.
func (s *madeSite) visitAll() {
	for i := range 12 {
		c := s.crawler(fmt.Sprintf("Honest%cBot", 'A'+i), i)
		c.pause = 10 + s.rng.ExpFloat64()*10
		c.jitter = s.rng.Float64() * min(0.2, (c.pause-10)/4)
		c.asks = 3600 * (1 + s.rng.Float64()*22.5)
		s.crawl("honest", c)
	}
	for i := range 4 {
		c := s.crawler(fmt.Sprintf("Greedy%cBot", 'A'+i), 20+i)
		c.forbidden = 0.01 + 0.05*s.rng.Float64()
		s.crawl("disallowed", c)
	}
	for i := range 6 {
		c := s.crawler(fmt.Sprintf("Fast%cBot", 'A'+i), 30+i)
		switch i % 3 {
		case 0:
			c.pause, c.jitter = 0.5+s.rng.Float64()*3.5, 0.1
		case 1:
			c.pause, c.jitter = 5+s.rng.Float64()*3.5, 0.1
		case 2:
			c.bursts = 0.1 + 0.3*s.rng.Float64()
		}
		s.crawl("crawl-delay", c)
	}
	for i := range 4 {
		c := s.crawler(fmt.Sprintf("Blind%cBot", 'A'+i), 40+i)
		c.asks, c.pause = 0, 60+s.rng.Float64()*60
		s.crawl("robots-txt", c)
	}
	google := s.crawler("Googlebot", 1)
	google.clients, google.agent = []string{"66.249.66.1", "66.249.66.2"}, "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
	s.crawl("honest", google)
	s.people()
}

// crawler draws how a crawler behaves. Some come from one address, some from several in a network, by IPv4 or IPv6.
func (s *madeSite) crawler(token string, number int) crawl {
	c := crawl{
		token: token, agent: "Mozilla/5.0 (compatible; " + token + "/1.0; +http://" + strings.ToLower(token) + ".example/)",
		pause: 12 + 20*s.rng.Float64(), jitter: 0.2, pages: 1000 + s.rng.IntN(1500), asks: 3600 * (2 + s.rng.Float64()*20), from: s.rng.Float64() * day,
	}
	for k := range 1 + s.rng.IntN(4) {
		if number%3 == 0 {
			c.clients = append(c.clients, fmt.Sprintf("2001:db8:%x:7::%x:%x", number, s.rng.IntN(1<<16), 1+k))
		} else {
			c.clients = append(c.clients, fmt.Sprintf("198.51.%d.%d", 100+number, 1+k))
		}
	}
	return c
}

// A writtenLog is the lines of a file, and what stands before them.
type writtenLog struct {
	head  string
	lines []string
}

// combined writes a visit whose time is said by a clock.
func combined(v *visit, at time.Time) string {
	return fmt.Sprintf("%s - - [%s] \"GET %s HTTP/1.1\" %d %d \"%s\" \"%s\"", v.client, at.Format("02/Jan/2006:15:04:05 -0700"), v.path, v.status, v.size, cmp.Or(v.referrer, "-"), v.agent)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// adversaries say what servers make of visits: the files that they write.
var adversaries = map[string]func(s *madeSite) []writtenLog{
	"as it is": func(s *madeSite) []writtenLog {
		return []writtenLog{s.logged(combined, func(*visit) time.Duration { return 0 })}
	},
	"two front ends, one with another clock": func(s *madeSite) []writtenLog {
		skew := seconds([]float64{-600, -90, -30, -7, -3, 2, 5, 20, 60, 300}[s.rng.IntN(10)])
		logs := make([]writtenLog, 2)
		for _, v := range s.visits {
			k := s.rng.IntN(2)
			logs[k].lines = append(logs[k].lines, combined(v, start.Add(seconds(v.at)+skew*time.Duration(k))))
		}
		return logs
	},
	"privacy addresses in a /64": func(s *madeSite) []writtenLog {
		return []writtenLog{s.logged(func(v *visit, at time.Time) string {
			w := *v
			network := v.who.token
			if network == "" {
				network = v.client
			}
			h := uint32(17)
			for _, c := range []byte(network) {
				h = h*31 + uint32(c)
			}
			part := int64(v.at / 3600) // addresses change each hour
			w.client = fmt.Sprintf("2001:db8:%x:%x::%x:%x", h>>16, h&0xffff, part*7919%65536, part*104729%65536)
			return combined(&w, at)
		}, func(*visit) time.Duration { return 0 })}
	},
	"IIS behind two proxies": func(s *madeSite) []writtenLog {
		n := 0
		log := s.logged(func(v *visit, at time.Time) string {
			n++
			query := "-"
			path := v.path
			if i := strings.IndexByte(path, '?'); i >= 0 {
				path, query = path[:i], path[i+1:]
			}
			line := fmt.Sprintf("%s 10.0.0.5 GET %s %s 80 - 10.0.0.%d %s %s %d 0 0 %d %d", at.Format("2006-01-02 15:04:05"), path, query, 1+s.rng.IntN(2),
				strings.ReplaceAll(v.agent, " ", "+"), cmp.Or(v.referrer, "-"), v.status, v.size, 5+s.rng.IntN(200))
			if n%5000 == 0 { // the service was started again
				line = w3cHead + line
			}
			return line
		}, func(*visit) time.Duration { return 0 })
		log.head = w3cHead
		return []writtenLog{log}
	},
	"proxies in front, and images elsewhere": func(s *madeSite) []writtenLog {
		s.visits = slices.DeleteFunc(s.visits, func(v *visit) bool { return v.who.kind == "person" && strings.HasPrefix(v.path, "/static/") })
		return []writtenLog{s.logged(func(v *visit, at time.Time) string {
			w := *v
			w.client = fmt.Sprintf("172.16.0.%d", 1+s.rng.IntN(3))
			return combined(&w, at)
		}, func(*visit) time.Duration { return 0 })}
	},
	"rotated by copies that overlap, and torn": func(s *madeSite) (logs []writtenLog) {
		all := s.logged(combined, func(*visit) time.Duration { return 0 }).lines
		for from := 0; from < len(all); {
			to := min(len(all), from+len(all)/7+s.rng.IntN(100))
			log := writtenLog{lines: slices.Clone(all[from:to])}
			if to < len(all) {
				last := &log.lines[len(log.lines)-1]
				*last = (*last)[:s.rng.IntN(len(*last))]
			}
			logs = append(logs, log)
			if from = to; to < len(all) {
				from -= 1 + s.rng.IntN(80)
			}
		}
		return logs
	},
	"the clock is set by an hour in between": func(s *madeSite) []writtenLog {
		from, to := (1+s.rng.Float64())*day, (2.5+s.rng.Float64()*3)*day
		by := []time.Duration{time.Hour, -time.Hour}[s.rng.IntN(2)]
		return []writtenLog{s.logged(combined, func(v *visit) time.Duration {
			if v.at >= from && v.at < to {
				return by
			}
			return 0
		})}
	},
	"local time without a zone, when summer time ends": func(s *madeSite) []writtenLog {
		at := (1 + 3*s.rng.Float64()) * day
		log := s.logged(func(v *visit, at time.Time) string {
			return fmt.Sprintf("%s:%d [%s] http-in~ static/srv1 0/0/0/1/1 %d %d - - ---- 1/1/1/1/0 0/0 {%s|%s} {} \"GET %s HTTP/1.1\"", strings.Trim(v.client, "[]"), 1024+s.rng.IntN(60000),
				at.Format("02/Jan/2006:15:04:05.000"), v.status, v.size, strings.ReplaceAll(v.agent, "|", " "), v.referrer, v.path)
		}, func(v *visit) time.Duration {
			if v.at < at {
				return time.Hour
			}
			return 0
		})
		return []writtenLog{log}
	},
	"the server stands still, and is started again": func(s *madeSite) []writtenLog {
		var stalls []float64
		for range 12 {
			stalls = append(stalls, s.rng.Float64()*s.days*day)
		}
		return []writtenLog{s.logged(combined, func(v *visit) time.Duration {
			for _, from := range stalls {
				if long := 5 + 60*(from/7-float64(int(from/7))); v.at >= from && v.at < from+long {
					return seconds(from + long - v.at) // it answers all in the end
				}
			}
			return 0
		})}
	},
	"answers take long, and lines have the time of their ends": func(s *madeSite) []writtenLog {
		slow := 0.05 + 0.1*s.rng.Float64()
		return []writtenLog{s.logged(combined, func(v *visit) time.Duration { return seconds(min(60, s.rng.ExpFloat64()*s.rng.ExpFloat64()*slow*10)) })}
	},
}

const w3cHead = "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2026-03-01 12:00:00\n" +
	"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status sc-bytes time-taken\n"

// logged writes all visits into one log, in the order in which they came, by a clock that is wrong by what is said.
func (s *madeSite) logged(write func(v *visit, at time.Time) string, wrong func(*visit) time.Duration) (log writtenLog) {
	type line struct {
		at   float64
		text string
	}
	var all []line
	for _, v := range s.visits {
		by := wrong(v)
		end := v.at
		if by < time.Minute+5*time.Second && by > 0 { // the line is written later
			end += by.Seconds()
		}
		all = append(all, line{end, write(v, start.Add(seconds(v.at)+by))})
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	for _, l := range all {
		log.lines = append(log.lines, l.text)
	}
	return log
}

// TestAdversary: whatever servers, clocks and rotation do to a log, nobody innocent is blamed, and who broke a rule is found.
// JUDGE_LOGS says how many logs of each kind are made.
func TestAdversary(t *testing.T) {
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv("JUDGE_LOGS")); err == nil {
		seeds = n
	}
	for name, write := range adversaries {
		t.Run(name, func(t *testing.T) {
			for seed := range seeds {
				s := newMadeSite(uint64(seed), 6)
				s.rng = rand.New(rand.NewPCG(uint64(seed), 99))
				s.visitAll()
				slices.SortStableFunc(s.visits, func(a, b *visit) int { return cmp.Compare(a.at, b.at) })
				s.judge(t, seed, write(s))
			}
		})
	}
}

// judge audits logs, and compares who is blamed with the truth.
func (s *madeSite) judge(t *testing.T, seed int, logs []writtenLog) {
	t.Helper()
	var sources []accesslog.Source
	for i, log := range logs {
		text := log.head + strings.Join(log.lines, "\n") + "\n"
		sources = append(sources, accesslog.Source{Name: fmt.Sprint("log", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	}
	copies := []audit.Copy{{Name: "robots.txt", From: start.AddDate(0, 0, -30), File: robots.Parse([]byte(adversaryRules), robots.RFC9309)}}
	a, err := audit.ReadAll(accesslog.NewMerge(sources...), func() *audit.Auditor { return audit.New(audit.Options{Copies: copies, Identify: identifyMade}) })
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	r := a.Report()
	has := map[string][]string{}
	for _, one := range slices.Concat(r.Robots, r.UserTriggered, r.Others) {
		for _, f := range one.Faults {
			has[one.Token] = append(has[one.Token], string(f.Code))
		}
		if os.Getenv("JUDGE_LOGS") != "" {
			t.Logf("seed %d: %s %s: crawls %q not %q %+v %+v, %d requests pauses kept %d, too short %d, clearly %d", seed, one.Token, one.Class, one.Crawls, one.Not, one.Asking, one.Faults, one.Requests, one.Pace.Kept, one.Pace.Broken, one.Pace.Clear)
		}
	}
	for _, w := range s.truths {
		if w.token == "" {
			continue
		}
		want := []string{w.kind}
		if w.kind == "honest" || w.kind == "robots-txt" && !w.unasked {
			want = nil
		}
		if got := has[w.token]; !slices.Equal(got, want) {
			t.Errorf("seed %d: %s is blamed for %v, want %v", seed, w.token, got, want)
		}
	}
	if i := slices.IndexFunc(r.Standings, func(s audit.Standing) bool { return s.Identity == audit.Disproved }); i >= 0 && !strings.Contains(t.Name(), "privacy") {
		t.Errorf("seed %d: disproved: %+v", seed, r.Standings[i])
	}
	for _, c := range r.Unusual {
		t.Errorf("seed %d: %s is called unusual: %v", seed, c.Client, c.Why)
	}
	for _, n := range r.UnusualNetworks {
		t.Errorf("seed %d: %s is called unusual: %v", seed, n.Prefix, n.Why)
	}
	if r.Crowd != nil {
		t.Errorf("seed %d: people are called a crowd: %+v", seed, r.Crowd)
	}
	if r.Remedy != nil {
		for _, m := range slices.Concat(r.Remedy.Refused, r.Remedy.Limited) {
			if !strings.HasSuffix(m.Name, "Bot") || m.People > 0 {
				t.Errorf("seed %d: the remedy meets %+v", seed, m)
			}
		}
	}
}
