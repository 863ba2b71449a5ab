package robotscmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A visitor asks for single pages, for people who want to look at one: still under the rules of robots.txt.
type visitor struct {
	client  *fetch.Client
	cache   *robots.Cache
	product string
}

func newVisitor(product, contact string, dialect robots.Dialect, allowPrivate bool) *visitor {
	c := config.Default()
	c.Agent.Product, c.Agent.Contact, c.Fetch.AllowPrivate = product, contact, allowPrivate
	return &visitor{
		client:  fetch.New(c.FetchOptions(cli.ReadBuild().Version)),
		cache:   robots.NewCache(robots.CacheOptions{Product: product, Dialect: dialect}),
		product: product,
	}
}

// rules fetches the rules of an origin.
func (v *visitor) rules(ctx context.Context, origin string) (robots.Answer, error) {
	answer, err := v.cache.Rules(ctx, origin, robots.State{}, func(ctx context.Context, url, etag, modified string) robots.Response {
		r, err := v.client.Get(ctx, fetch.Request{URL: url, ETag: etag, LastModified: modified, MaxBody: robots.MaxBytes + 1})
		var failed *fetch.Error
		if errors.As(err, &failed) && failed.Kind == fetch.KindForbidden {
			return robots.Response{Abort: err} // says nothing about the site
		}
		if err != nil {
			return robots.Response{Err: err}
		}
		defer r.Release()
		if r.Truncated != "" && r.Truncated != fetch.CutLength {
			return robots.Response{Err: fmt.Errorf("body cut off: %s", r.Truncated)}
		}
		return robots.Response{Status: r.Status, Header: r.Header, Body: r.Body}
	})
	if err != nil {
		return answer, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	return answer, nil
}

// get asks for u if robots.txt allows it, and welcomes visits now. It follows no redirect.
func (v *visitor) get(ctx context.Context, u frontier.URL) (*fetch.Response, robots.Verdict, *robots.Rules, error) {
	answer, err := v.rules(ctx, u.Origin())
	if err != nil {
		return nil, robots.Verdict{}, nil, privateHint(err)
	}
	verdict := answer.Rules.Test(u.PathQuery())
	if !verdict.Allowed {
		err := fmt.Errorf("%s/robots.txt does not allow %s: %s", u.Origin(), u, say.Because(verdict))
		if answer.State.Err != "" {
			err = fmt.Errorf("%w: %s", err, answer.State.Err)
		}
		return nil, verdict, nil, err
	}
	if opens, w := answer.Rules.Opens(time.Now()); time.Until(opens) > 0 {
		return nil, verdict, nil, cli.WithHint(fmt.Errorf("%s/robots.txt welcomes no visits now: line %d: %s", u.Origin(), w.Line, w.Text),
			"try again after "+opens.Format("15:04")+" UTC")
	}
	r, err := v.client.Get(ctx, fetch.Request{URL: u.String()})
	return r, verdict, answer.Rules, privateHint(err)
}

// privateHint adds what to do about an address that is not visited without being told to.
func privateHint(err error) error {
	var fe *fetch.Error
	if errors.As(err, &fe) && fe.Kind == fetch.KindForbidden {
		return cli.WithHint(fe, "--allow-private lets cybermapper visit loopback and private addresses")
	}
	return err
}

// Close gives the connections back.
func (v *visitor) Close() { v.client.Close() }

// inspectFetch gets the page that inspect is to show.
func inspectFetch(cmd *cobra.Command, o inspectOptions, raw string, view *pageView) (u frontier.URL, h http.Header, body []byte, err error) {
	if o.url != "" || len(o.headers) > 0 || o.robots != "" || o.tdmrep != "" {
		return u, nil, nil, cli.UsageError("", "--url, --header, --robots and --tdmrep describe a FILE; a URL is fetched")
	}
	if u, err = cli.ParseURL(raw); err != nil {
		return u, nil, nil, cli.UsageError("", "%w", err)
	}
	if o.contact != "" && !config.IsContact(o.contact) {
		return u, nil, nil, cli.UsageError("", "--contact: %q is neither a mail address nor an http(s) URL", o.contact)
	}
	v := newVisitor(o.product, o.contact, robots.Cautious, o.allowPrivate)
	defer v.Close()
	r, verdict, rules, err := v.get(cmd.Context(), u)
	if err != nil {
		return u, nil, nil, err
	}
	view.rules = rules
	view.Status, view.Location, view.Truncated, view.Robots = r.Status, r.Header.Get("Location"), r.Truncated, say.Verdict(verdict)
	return u, r.Header, r.Body, nil
}

// fetchRules gets the robots.txt that robots check is to read.
func fetchRules(ctx context.Context, o checkOptions, d robots.Dialect) (frontier.URL, func(frontier.URL) *robots.Rules, error) {
	u, err := cli.ParseURL(o.robots)
	if err != nil {
		return u, nil, cli.UsageError("", "--robots: %w", err)
	}
	if u.PathQuery() != "/robots.txt" {
		return u, nil, cli.UsageError("did you mean --robots "+u.Origin()+"/robots.txt?", "--robots: robots.txt lies at the top of its site")
	}
	v := newVisitor(o.product, "", d, o.allowPrivate)
	defer v.Close()
	answer, err := v.rules(ctx, u.Origin())
	if err == nil && answer.State.Outcome == robots.Unreachable && answer.State.Status == 0 {
		err = errors.New(answer.State.Err) // nothing answered: that says more about us than about the site
	}
	if err != nil {
		return u, nil, privateHint(err)
	}
	return u, func(other frontier.URL) *robots.Rules {
		if answer.File == nil || other.Origin() == u.Origin() {
			return answer.Rules
		}
		return answer.File.RulesFor(other.Origin(), o.product)
	}, nil
}
