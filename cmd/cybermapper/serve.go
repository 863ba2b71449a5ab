package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/serve"
)

// serveOptions are the flags that say where jobs are shown, and to whom.
type serveOptions struct {
	prefix  string // of the names of the flags but the first
	flag    string // the name of the first
	listen  string
	hosts   []string
	token   string // file
	cert    string // file
	key     string // file
	proxied bool
}

// declare declares the flags: flag says where to listen, the names of the others begin with prefix.
func (o *serveOptions) declare(f *pflag.FlagSet, flag, prefix, listen, usage string) {
	o.flag, o.prefix = flag, prefix
	f.StringVar(&o.listen, flag, listen, usage)
	f.StringArrayVar(&o.hosts, prefix+"host", nil,
		"name under which the server is asked, besides addresses and localhost; repeatable")
	f.StringVar(&o.token, prefix+"token", "", "file with what visitors must know, at least 16 bytes; made if there is none")
	f.StringVar(&o.cert, prefix+"tls-cert", "", "PEM file with the certificate")
	f.StringVar(&o.key, prefix+"tls-key", "", "PEM file with its key")
	f.BoolVar(&o.proxied, prefix+"behind-proxy", false, "a proxy before this server speaks TLS")
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	var jobs []string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show jobs in a browser: search, live view, and why",
		Long: `Shows jobs in a browser: a page to search what was crawled (after "index", or
"crawl --index"), a live view of the crawl, why any URL was fetched or was not,
what each robots.txt says of a path, what is wrong with the site (see care), and
forms to submit URLs and to leave hosts alone. It reads what the crawl writes and may run beside it; crawl --serve does
the same for as long as the crawl runs.

It listens on loopback. Elsewhere it needs --token, and TLS: by --tls-cert and
--tls-key, or --behind-proxy if a proxy before it speaks TLS. Visitors sign in
with the token; programs send it as "Authorization: Bearer TOKEN".

/metrics is for Prometheus, /healthz and /readyz for whoever restarts it. /api
answers in JSON: /api/jobs, /api/status, /api/search?q=, /api/explain?url=,
/api/site?host=, /api/care?kind=, each with job=NAME where there are several.

Exit codes:
  0    ended by a signal
  1    error
  2    wrong usage
`,
		Example: `  cybermapper serve --job big
  cybermapper serve --job big --job small --listen 127.0.0.1:9000
  cybermapper serve --job big --listen :8443 --host crawl.example.org --token token.txt --tls-cert c.pem --tls-key k.pem`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveJobs(cmd.Context(), o, jobs, cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&jobs, "job", "o", []string{"cybermapper-job"}, "directory of a crawl; repeatable")
	o.declare(f, "listen", "", "127.0.0.1:8480", "address to listen on")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return cmd
}

// serveJobs runs the command until ctx ends.
func serveJobs(ctx context.Context, o serveOptions, jobs []string, out io.Writer) (err error) {
	door, err := o.open(out)
	if err != nil {
		return err
	}
	log := engine.NewLogger(config.Default().Log, progress.NewScreen(out, true), true)
	s, err := door.server(jobs, log)
	if err != nil {
		return errors.Join(cli.JobError(err), door.listener.Close())
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Fprintf(out, "serving %s on %s\n", strings.Join(jobs, ", "), door.url())
	return door.serveUntil(ctx, s, log)
}

// checkExposure refuses to listen where strangers are without a token and TLS.
func (o *serveOptions) checkExposure() error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return cli.UsageError("--"+o.flag+" 127.0.0.1:8480", "--%s: %w", o.flag, err)
	}
	address, err := netip.ParseAddr(host)
	flag := func(name string) string { return "--" + o.prefix + name }
	for _, name := range o.hosts {
		if bare, _, err := net.SplitHostPort(name); err == nil {
			return cli.UsageError(flag("host")+" "+bare+" is for every port", "%s %s: a name has no port", flag("host"), name)
		}
	}
	switch {
	case host == "localhost", err == nil && address.IsLoopback():
		return nil
	case o.token == "":
		return cli.UsageError(flag("token")+" FILE lets in only who knows what is in it",
			"%s can be reached from other machines, and there is no %s", o.listen, flag("token"))
	case o.cert == "" && !o.proxied:
		return cli.UsageError(flag("tls-cert")+" and "+flag("tls-key")+"; or "+flag("behind-proxy")+" if a proxy speaks TLS",
			"%s can be reached from other machines, and the token would cross the network in the clear", o.listen)
	}
	return nil
}

// checkUnused reports flags that are about a server where there is none.
func (o *serveOptions) checkUnused() error {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"host", len(o.hosts) > 0}, {"token", o.token != ""}, {"tls-cert", o.cert != ""}, {"behind-proxy", o.proxied},
	} {
		if f.given {
			return cli.UsageError("--"+o.flag+" 127.0.0.1:8480", "--%s%s needs --%s", o.prefix, f.name, o.flag)
		}
	}
	return nil
}

// readToken returns what stands in the file of the token, which it makes if there is none.
func (o *serveOptions) readToken(out io.Writer) (string, error) {
	data, err := os.ReadFile(o.token)
	if errors.Is(err, os.ErrNotExist) {
		token := rand.Text()
		if err := os.WriteFile(o.token, []byte(token+"\n"), 0o600); err != nil {
			return "", fmt.Errorf("write token: %w", err)
		}
		fmt.Fprintf(out, "a new token is in %s\n", o.token)
		return token, nil
	}
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < serve.MinToken {
		return "", cli.UsageError("remove the file, and a good one is made",
			"%s: a token needs at least %d bytes", o.token, serve.MinToken)
	}
	return token, nil
}
