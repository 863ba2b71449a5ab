package robotscmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A visitor asks for single pages, for people who want to look at one: still under the rules of robots.txt. It gives its own name,
// whatever robot they want to know about.
type visitor struct {
	client *fetch.Client
	cache  *robots.Cache
}

// visitorOptions say who a visitor is, and what it may do.
type visitorOptions struct {
	contact      string
	dialect      robots.Dialect
	allowPrivate bool
	bodies       robots.Bodies // that keep the robots.txt files; nil keeps none
}

func newVisitor(o visitorOptions) *visitor {
	c := config.Default()
	c.Agent.Contact, c.Fetch.AllowPrivate = o.contact, o.allowPrivate
	return &visitor{
		client: fetch.New(c.FetchOptions(cli.ReadBuild().Version)),
		cache:  robots.NewCache(robots.CacheOptions{Product: c.Agent.Product, Dialect: o.dialect, Bodies: o.bodies}),
	}
}

// rules fetches the rules of an origin.
func (v *visitor) rules(ctx context.Context, origin string) (robots.Answer, error) {
	ask := func(ctx context.Context, url, etag, modified string) robots.Response {
		r, err := v.client.Get(ctx, fetch.Request{URL: url, ETag: etag, LastModified: modified, MaxBody: robots.MaxBytes + 1})
		if failed, ok := errors.AsType[*fetch.Error](err); ok && failed.Kind == fetch.KindForbidden {
			return robots.Response{Abort: err} // says nothing about the site
		}
		if err != nil {
			return robots.Response{Err: err}
		}
		defer r.Release()
		if r.Truncated != "" && r.Truncated != fetch.CutLength && r.Status/100 == 2 { // else it is no file: the status says all
			return robots.Response{Err: fmt.Errorf("body cut off: %s", r.Truncated)}
		}
		if by := r.Challenge(); by != "" {
			return robots.Response{Err: fmt.Errorf("a challenge of %s came in place of robots.txt, which no robot can pass", by)}
		}
		return robots.Response{Status: r.Status, Header: r.Header, Body: r.Body}
	}
	answer, err := v.cache.Rules(ctx, origin, robots.State{}, ask)
	if err != nil {
		return answer, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	return answer, nil
}

// rulesFor returns what an answer says to a product about an origin.
func rulesFor(answer robots.Answer, origin, product string) *robots.Rules {
	if answer.File == nil {
		return answer.Rules
	}
	return answer.File.RulesFor(origin, roster.NewRegister(answer.File).HeardAs(product))
}

// get asks for u if robots.txt allows it, and welcomes visits now. It follows no redirect.
func (v *visitor) get(ctx context.Context, u frontier.URL) (*fetch.Response, robots.Verdict, robots.Answer, error) {
	answer, err := v.rules(ctx, u.Origin())
	if err != nil {
		return nil, robots.Verdict{}, answer, privateHint(err)
	}
	verdict := answer.Rules.Test(u.PathQuery())
	if !verdict.Allowed {
		err := fmt.Errorf("%s/robots.txt does not allow %s: %s", u.Origin(), u, say.Because(verdict))
		if answer.State.Err != "" {
			err = fmt.Errorf("%w: %s", err, answer.State.Err)
		}
		return nil, verdict, answer, err
	}
	if opens, w := answer.Rules.Opens(time.Now()); time.Until(opens) > 0 {
		return nil, verdict, answer, cli.WithHint(fmt.Errorf("%s/robots.txt welcomes no visits now: line %d: %s", u.Origin(),
			w.Line, w.Text),
			"try again after "+opens.Format("15:04")+" UTC")
	}
	r, err := v.client.Get(ctx, fetch.Request{URL: u.String()})
	return r, verdict, answer, privateHint(err)
}

// privateHint adds what to do about an address that is not visited without being told to.
func privateHint(err error) error {
	var fe *fetch.Error
	if errors.As(err, &fe) && errors.As(fe, new(*fetch.ForbiddenError)) {
		return cli.WithHint(fe, "--allow-private lets cybermapper visit loopback and private addresses")
	}
	return err
}

// Close gives the connections back.
func (v *visitor) Close() { v.client.Close() }
