package robotscmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// allowPrivateFlag declares --allow-private for a command that may fetch a file.
func allowPrivateFlag(f *pflag.FlagSet, to *bool) {
	f.BoolVar(to, "allow-private", false, "fetch from loopback and private addresses too")
}

// dialectFlag declares --dialect.
func dialectFlag(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVar(to, "dialect", "cautious", what+": cautious, rfc9309 or std1994")
	cli.CompleteValues(cmd, "dialect", "cautious", "rfc9309", "std1994")
}

// printTo prints a text that is put together first, and returns the error of writing it.
func printTo(w io.Writer, put func(io.Writer)) error {
	var b bytes.Buffer
	put(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// checkProduct says whether a robot can be asked about by a name: its product token, or a name such as MJ12bot, which is none, and
// stands in robots.txt files all the same.
func checkProduct(name string) error {
	if name == "" || strings.ContainsAny(name, " \t\r\n/*,;:#()") {
		return cli.UsageError("write it as User-agent lines do, without a version",
			"--product: %q is not the name of a robot", name)
	}
	return nil
}

// readRobotsFile reads a robots.txt: a file, stdin for "-", or a URL, which is fetched as a crawl would. A site that has no
// robots.txt has an empty one.
func readRobotsFile(cmd *cobra.Command, name string, allowPrivate bool) ([]byte, error) {
	if !strings.Contains(name, "://") {
		body, err := cli.ReadInput(cmd, name, 2*robots.MaxBytes)
		return body, cli.OrURL(err, name, "/robots.txt")
	}
	u, err := cli.ParseURL(name)
	if err != nil {
		return nil, cli.UsageError("", "%w", err)
	}
	if u.PathQuery() != "/robots.txt" {
		return nil, cli.UsageError("did you mean "+u.Origin()+"/robots.txt?", "%s: robots.txt lies at the top of its site", name)
	}
	bodies := &bodiesInMemory{}
	v := newVisitor(visitorOptions{dialect: robots.Cautious, allowPrivate: allowPrivate, bodies: bodies})
	defer v.Close()
	return v.body(cmd.Context(), u.Origin(), bodies)
}

// body fetches the robots.txt of an origin.
func (v *visitor) body(ctx context.Context, origin string, bodies robots.Bodies) ([]byte, error) {
	answer, err := v.rules(ctx, origin)
	switch {
	case err != nil:
		return nil, privateHint(err)
	case answer.State.Outcome == robots.Unavailable:
		return nil, nil
	case answer.State.Outcome != robots.Found && answer.State.Err != "":
		return nil, fmt.Errorf("robots.txt of %s: %s", origin, answer.State.Err)
	case answer.State.Outcome != robots.Found:
		return nil, fmt.Errorf("robots.txt of %s could not be fetched: status %d", origin, answer.State.Status)
	}
	return bodies.Get(answer.State.Digest)
}

// bodiesInMemory is robots.Bodies for a command that ends soon.
type bodiesInMemory struct {
	mu       sync.Mutex // guards byDigest
	byDigest map[string][]byte
}

func (b *bodiesInMemory) Put(body []byte) (digest string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byDigest == nil {
		b.byDigest = map[string][]byte{}
	}
	digest = robots.Parse(body, robots.RFC9309).Digest()
	b.byDigest[digest] = append([]byte{}, body...) // empty is not nil
	return digest, nil
}

func (b *bodiesInMemory) Get(digest string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, ok := b.byDigest[digest]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return body, nil
}

// resolveAsked reads what robots.txt is asked about: a URL, or a path on the site of base. A host without its scheme and a path
// without its slash are neither: they would be taken for a path that nobody meant.
func resolveAsked(base frontier.URL, text string) (frontier.URL, error) {
	if _, err := frontier.ParseURL(text); err != nil && !strings.HasPrefix(text, "/") {
		return base, fmt.Errorf("%q is neither a URL nor a path", text)
	}
	if strings.HasPrefix(text, "//") { // a path too, and no host, as robots.txt compares it
		return frontier.ParseURL(base.Origin() + text)
	}
	return base.Resolve(text)
}

// readPaths reads URLs or paths, one per line, and returns what robots.txt rules match: path and query. A line that holds
// neither is an error. Without a name there are none.
func readPaths(cmd *cobra.Command, name string) (paths []string, err error) {
	if name == "" {
		return nil, nil
	}
	in, err := cli.OpenInput(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	base, err := cli.ParseURL("http://site.invalid/")
	if err != nil {
		return nil, err
	}
	var errs []error
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		u, err := resolveAsked(base, line)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, number, err))
			continue
		}
		paths = append(paths, u.PathQuery())
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("read %s: %w", name, err))
	}
	if len(paths) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: holds no URL", name))
	}
	return paths, errors.Join(errs...)
}
