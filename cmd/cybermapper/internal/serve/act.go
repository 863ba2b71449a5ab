package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/spool"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler/optout"
)

// answerWithin is how long a page waits for what the crawl makes of a submission.
const answerWithin = 5 * time.Second

// A submitView is the page for those who run the crawl: URLs to visit, and hosts to leave alone.
type submitView struct {
	Running bool
	OptOut  string // file of the entries to leave alone; empty if the job names none
	Typed   string
	AsSeed  bool
	Note    string

	Problem string
	Results []submitResult
	Later   bool   // no answer yet; it is not lost
	Left    string // entry that was added
}

// A submitResult is what became of a URL, and that in words.
type submitResult struct{ URL, Result, Text string }

func (s *Server) showSubmit(w http.ResponseWriter, r *http.Request, j *shown, status int, v submitView) {
	c, err := config.Read(j.path(job.ConfigFile))
	if err == nil {
		v.OptOut = c.OptOut
		v.Running, err = job.InUse(j.dir)
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.show(w, r, status, "submit.tmpl", view{Title: "Submit URLs", Here: "submit", Job: j.name, Data: v})
}

func (s *Server) submitPage(w http.ResponseWriter, r *http.Request, j *shown) {
	s.showSubmit(w, r, j, http.StatusOK, submitView{})
}

// submit hands URLs to the crawl, and says what became of them.
func (s *Server) submit(w http.ResponseWriter, r *http.Request, j *shown) {
	v := submitView{Typed: r.PostFormValue("urls"), AsSeed: r.PostFormValue("as_seed") != "", Note: r.PostFormValue("note")}
	items, problem := itemsOf(v)
	if problem == "" && v.AsSeed {
		problem = contactProblem(j, items)
	}
	if problem != "" {
		v.Problem = problem
		s.showSubmit(w, r, j, http.StatusBadRequest, v)
		return
	}
	if _, err := job.KindOf(j.dir); err != nil { // of a job that is gone no directory is made again
		s.broken(w, r, err)
		return
	}
	dir := spool.Dir(j.path(job.SubmitDir))
	id, err := dir.Put(items)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.o.Log.Info("submitted", zap.String("job", j.name), zap.Int("urls", len(items)), zapAddress(r))
	results, ok, err := collect(r.Context(), dir, id, answerWithin)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	for _, one := range results {
		v.Results = append(v.Results, submitResult{one.URL, one.Result, one.Text(translate.Language{})})
	}
	v.Later = !ok
	if ok {
		v.Typed = ""
	}
	s.showSubmit(w, r, j, http.StatusOK, v)
}

// itemsOf reads the lines of a form, which are those of a file of seeds.
func itemsOf(v submitView) (items []spool.Item, problem string) {
	seeds, bad, err := seed.Read(strings.NewReader(v.Typed), "line", cli.ParseURL)
	switch {
	case err != nil:
		return nil, say.Printable(err.Error())
	case len(bad) > 0:
		return nil, "Nothing was submitted: " + say.Printable(fmt.Sprint(bad[0]))
	case len(seeds) == 0:
		return nil, "There is no URL in that."
	case len(seeds) > spool.MaxItems:
		return nil, fmt.Sprintf("At most %s URLs at once.", say.Count(spool.MaxItems))
	}
	for _, one := range seeds {
		one.Note = cmp.Or(one.Note, v.Note)
		items = append(items, spool.Item{Seed: one.String(), AsSeed: v.AsSeed})
	}
	return items, ""
}

// contactProblem keeps a crawl that names no contact on loopback.
func contactProblem(j *shown, items []spool.Item) string {
	c, err := config.Read(j.path(job.ConfigFile))
	if err != nil {
		return say.Printable(err.Error())
	}
	for _, item := range items {
		if one, err := seed.Parse(item.Seed, cli.ParseURL); err == nil && c.Agent.Contact == "" && !cli.IsLoopback(one.URL) {
			return "This crawl names no contact, so it gets no seeds beyond loopback: start it with --contact."
		}
	}
	return ""
}

// collect waits for the answer to a submission.
func collect(ctx context.Context, dir spool.Dir, id string, patience time.Duration) (results []spool.Result, ok bool, err error) {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if results, ok, err = dir.Collect(id); ok || err != nil {
			return results, ok, err
		}
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-timeout.C:
			return nil, false, nil
		case <-tick.C:
		}
	}
}

// optOut adds a host to those that are left alone.
func (s *Server) optOut(w http.ResponseWriter, r *http.Request, j *shown) {
	entry := strings.TrimSpace(r.PostFormValue("entry"))
	status, v := http.StatusOK, submitView{}
	err := leaveAlone(j, entry)
	if err == nil {
		v.Left = entry
		s.o.Log.Info("opt-out", zap.String("job", j.name), zap.String("entry", entry), zapAddress(r))
	} else {
		status, v.Problem = http.StatusBadRequest, "Nothing was added: "+say.Printable(err.Error())
	}
	s.showSubmit(w, r, j, status, v)
}

// leaveAlone appends an entry to the file of opt-outs of a job.
func leaveAlone(j *shown, entry string) error {
	c, err := config.Read(j.path(job.ConfigFile))
	if err != nil {
		return err
	}
	if c.OptOut == "" {
		return errors.New("this crawl has no file of opt-outs; start it with --opt-out FILE")
	}
	if strings.ContainsAny(entry, "\r\n#") {
		return errors.New("one host, *.domain or address at a time")
	}
	list, bad, err := optout.Parse(strings.NewReader(entry + "\n"))
	switch {
	case err != nil:
		return err
	case len(bad) > 0:
		return errors.New(bad[0].String())
	case list.Len() == 0:
		return errors.New("no host was given")
	}
	return job.AppendLines(c.OptOut, []byte(entry+"\n"))
}
