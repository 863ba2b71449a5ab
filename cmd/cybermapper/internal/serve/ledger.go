package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Bounds of a look into the ledger.
const (
	recordsPerPage = 50
	newestBytes    = 8 << 20 // that the newest records are looked for in
)

// A ledgerView is a look into the ledger: the newest records, or those that follow one.
type ledgerView struct {
	Job, Type, Text string
	After           string // number of a record as given; empty for the newest
	Types           []ledger.Type
	Rows            []ledgerRow
	Next            string // link to what follows; empty at the end
	First           string // link to the beginning
	Stopped         uint64 // where time was up; 0 if it was not
	Since           uint64 // record before which the newest ones were not looked for; 0 if they were in all

	records []ledger.Record
	last    uint64 // record that was looked at last
	full    bool   // there may be more
}

type ledgerRow struct {
	ledger.Record
	What string // in words
	JSON string
}

func (s *Server) ledgerOf(w http.ResponseWriter, r *http.Request, j *shown) (v *ledgerView, ok bool) {
	ctx, done, ok := s.much(w, r, s.o.MaxTime)
	if !ok {
		return nil, false
	}
	defer done()
	q := r.URL.Query()
	v = &ledgerView{
		Job: j.name, Type: q.Get("type"), Text: strings.TrimSpace(q.Get("text")), After: q.Get("after"),
		Types: []ledger.Type{
			ledger.Request, ledger.Refusal, ledger.Outcome, ledger.Rest, ledger.Seed, ledger.Run, ledger.Purge,
		},
	}
	if v.Type != "" && !slices.Contains(v.Types, ledger.Type(v.Type)) {
		s.fail(w, r, http.StatusBadRequest, "That is no type of records: "+say.Printable(v.Type))
		return nil, false
	}
	var err error
	if v.After == "" {
		err = v.readNewest(ctx, j.path(job.LedgerDir))
	} else {
		after, bad := strconv.ParseUint(v.After, 10, 64)
		if bad != nil {
			s.fail(w, r, http.StatusBadRequest, "That is no number of a record: "+say.Printable(v.After))
			return nil, false
		}
		err = v.readAfter(ctx, j.path(job.LedgerDir), after)
	}
	if errors.Is(err, context.DeadlineExceeded) && v.last > 0 {
		v.Stopped, v.full, err = v.last, true, nil
	}
	if err != nil {
		s.broken(w, r, err)
		return nil, false
	}
	return v, true
}

// matches reports whether a line may be one that was asked for, before it is decoded.
func (v *ledgerView) matches(line []byte) bool {
	return (v.Type == "" || bytes.Contains(line, []byte(`"type":"`+v.Type+`"`))) &&
		(v.Text == "" || bytes.Contains(bytes.ToLower(line), []byte(strings.ToLower(v.Text))))
}

// readNewest reads the newest records, the newest first, as far as they stand near the end of the ledger.
func (v *ledgerView) readNewest(ctx context.Context, dir string) error {
	o := ledger.ReadOptions{Match: v.matches, Tail: newestBytes}
	if v.Type != "" {
		o.Types = []ledger.Type{ledger.Type(v.Type)}
	}
	for r, err := range ledger.Read(dir, o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if v.records = append(v.records, r); len(v.records) > 2*recordsPerPage {
			v.records = slices.Delete(v.records, 0, recordsPerPage)
		}
	}
	v.records = v.records[max(0, len(v.records)-recordsPerPage):]
	slices.Reverse(v.records)
	if len(v.records) == recordsPerPage {
		return nil
	}
	for r, err := range ledger.Read(dir, ledger.ReadOptions{Tail: newestBytes}) {
		if err == nil && r.Seq > 1 {
			v.Since = r.Seq
		}
		break
	}
	return nil
}

// readAfter reads the records that follow one.
func (v *ledgerView) readAfter(ctx context.Context, dir string, after uint64) error {
	v.last = after
	for line, err := range ledger.Lines(dir, after) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if v.last++; !v.matches(line) {
			continue
		}
		r, err := ledger.Decode(line)
		if err != nil || v.Type != "" && r.Type != ledger.Type(v.Type) {
			continue // verify tells of what cannot be read
		}
		if v.records = append(v.records, r); len(v.records) == recordsPerPage {
			v.full = true
			return nil
		}
	}
	return nil
}

func (v *ledgerView) link(after uint64) string {
	q := url.Values{"job": {v.Job}, "after": {strconv.FormatUint(after, 10)}}
	if v.Type != "" {
		q.Set("type", v.Type)
	}
	if v.Text != "" {
		q.Set("text", v.Text)
	}
	return "/ledger?" + q.Encode()
}

func (s *Server) ledgerPage(w http.ResponseWriter, r *http.Request, j *shown) {
	v, ok := s.ledgerOf(w, r, j)
	if !ok {
		return
	}
	for _, r := range v.records {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			continue // cannot happen: it was decoded from JSON
		}
		v.Rows = append(v.Rows, ledgerRow{Record: r, What: inWords(&r), JSON: string(text)})
	}
	v.First = v.link(0)
	if v.full {
		v.Next = v.link(v.last)
	}
	s.show(w, r, http.StatusOK, "ledger.tmpl", view{Title: "Ledger", Here: "live", Job: j.name, Data: v})
}

func (s *Server) apiLedger(w http.ResponseWriter, r *http.Request, j *shown) {
	v, ok := s.ledgerOf(w, r, j)
	if !ok {
		return
	}
	answer := map[string]any{"records": append([]ledger.Record{}, v.records...)} // none is no null
	if v.full {
		answer["after"] = v.last
	}
	if v.Since > 0 {
		answer["since"] = v.Since
	}
	answerJSON(w, http.StatusOK, answer)
}

// inWords says what a record is about.
func inWords(r *ledger.Record) string {
	switch r.Type {
	case ledger.Request:
		what := "request for the " + r.Purpose + ": "
		if r.Status == 0 {
			return what + r.Error
		}
		what += strings.TrimSpace(fmt.Sprint(r.Status, " ", http.StatusText(r.Status)))
		if r.RobotsRule != "" {
			what += ", permitted by " + r.RobotsRule
		}
		return what
	case ledger.Refusal:
		return "refused: " + say.Reason(crawler.Reason(r.Reason)) + ruleOf(r)
	case ledger.Outcome:
		if r.Reason != "" {
			return r.Outcome + ": " + say.Reason(crawler.Reason(r.Reason))
		}
		return r.Outcome
	case ledger.Rest:
		return "the site rests until " + r.NotBefore.UTC().Format("15:04:05 UTC") + ": " + say.Reason(crawler.Reason(r.Reason))
	case ledger.Seed:
		return "submitted: " + r.Outcome
	case ledger.Purge:
		return "left the job: " + say.Reason(crawler.Reason(r.Reason)) + ruleOf(r)
	case ledger.Run:
		return strings.TrimSpace("run: " + r.Event + " " + r.Why)
	}
	return string(r.Type)
}

func ruleOf(r *ledger.Record) string {
	switch {
	case r.Rule == "":
		return ""
	case r.Line > 0:
		return fmt.Sprintf(" (%s, line %d)", r.Rule, r.Line)
	}
	return " (" + r.Rule + ")"
}
