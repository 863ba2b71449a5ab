package explain

import (
	"fmt"
	"path"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// maxPageVersions bounds the versions of a page that are told.
const maxPageVersions = 100

// A Version is a page as it was stored at a time.
type Version struct {
	Fetched time.Time `json:"fetched"`
	File    string    `json:"file"`
	Title   string    `json:"title,omitempty"`
}

// A Return says when a URL is visited another time, and what earlier visits found.
type Return struct {
	Due       time.Time `json:"due,omitzero"` // zero: never
	Visits    int       `json:"visits"`
	Changes   int       `json:"changes"`
	Changed   time.Time `json:"changed,omitzero"`    // when a change was found last
	GoneSince time.Time `json:"gone_since,omitzero"` // when it was found gone first
}

// versionsOf returns the versions of a page that has changed, oldest first.
func versionsOf(h *history) (all []Version) {
	if len(h.versions) < 2 {
		return nil
	}
	for _, l := range h.versions {
		all = append(all, Version{Fetched: l.Fetched, File: path.Join(job.PagesDir, l.File), Title: l.Title})
	}
	return all
}

// returnOf returns what the queue remembers of a URL; nil when that is nothing.
func returnOf(info frontier.Info) *Return {
	if info.Return == nil {
		return nil
	}
	p, ok := crawler.ReadPast(info.Return.State)
	if !ok {
		return nil
	}
	at := func(seconds int64) time.Time {
		if seconds == 0 {
			return time.Time{}
		}
		return time.Unix(seconds, 0).UTC()
	}
	return &Return{Due: info.Return.Due, Visits: p.Visits, Changes: p.Changes, Changed: at(p.Changed), GoneSince: at(p.Since)}
}

// String says when the next visit is due.
func (r *Return) String() string {
	does := "visits it"
	if r.Visits == 0 {
		does = "looks whether robots.txt allows it"
	}
	text := fmt.Sprintf("crawl --again %s from %s on", does, say.Clock(r.Due))
	if r.Due.IsZero() {
		text = "never"
	}
	text += fmt.Sprintf("; %s so far, %s found", say.Plural(r.Visits, "visit"), say.Plural(r.Changes, "change"))
	if !r.Changed.IsZero() {
		text += ", last at " + say.Clock(r.Changed)
	}
	if !r.GoneSince.IsZero() {
		text += "; gone since " + say.Clock(r.GoneSince)
	}
	return text
}
