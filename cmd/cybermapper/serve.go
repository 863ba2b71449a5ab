package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/serve"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	jobs    []string
	listen  string
	hosts   []string
	token   string // file
	cert    string // file
	key     string // file
	proxied bool
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show jobs in a browser: search, live view, and why",
		Long: `Shows jobs in a browser: a page to search what was crawled (after "index", or
"crawl --index"), a live view of the crawl, why any URL was fetched or was not,
what each robots.txt says of a path, and forms to submit URLs and to leave hosts
alone. It reads what the crawl writes and may run beside it.

It listens on loopback. Elsewhere it needs --token, and TLS: by --tls-cert and
--tls-key, or --behind-proxy if a proxy before it speaks TLS. Visitors sign in
with the token; programs send it as "Authorization: Bearer TOKEN".

/metrics is for Prometheus, /healthz and /readyz for whoever restarts it. /api
answers in JSON: /api/jobs, /api/status, /api/search?q=, /api/explain?url=,
/api/site?host=, each with job=NAME where there are several.

Exit codes:
  0    ended by a signal
  1    error
  2    wrong usage
`,
		Example: `  cybermapper serve --job big
  cybermapper serve --job big --job small --listen 127.0.0.1:9000
  cybermapper serve --job big --listen :8443 --host crawl.example.org --token token.txt --tls-cert c.pem --tls-key k.pem`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return serveJobs(cmd.Context(), o, cmd.ErrOrStderr()) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&o.jobs, "job", "o", []string{"cybermapper-job"}, "directory of a crawl; repeatable")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8480", "address to listen on")
	f.StringArrayVar(&o.hosts, "host", nil, "name under which the server is asked, besides addresses and localhost; repeatable")
	f.StringVar(&o.token, "token", "", "file with what visitors must know, at least 16 bytes; made if there is none")
	f.StringVar(&o.cert, "tls-cert", "", "PEM file with the certificate")
	f.StringVar(&o.key, "tls-key", "", "PEM file with its key")
	f.BoolVar(&o.proxied, "behind-proxy", false, "a proxy before this server speaks TLS")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return cmd
}

// serveJobs runs the command until ctx ends.
func serveJobs(ctx context.Context, o serveOptions, out io.Writer) (err error) {
	options := serve.Options{Jobs: o.jobs, Hosts: o.hosts, TLS: o.cert != "" || o.proxied}
	if err := o.checkExposure(); err != nil {
		return err
	}
	if o.token != "" {
		if options.Token, err = tokenIn(o.token, out); err != nil {
			return err
		}
	}
	s, err := serve.New(options)
	if err != nil {
		return cli.JobError(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return cli.WithHint(err, "--listen names another address, as 127.0.0.1:8481")
	}
	scheme := "http"
	if o.cert != "" {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			listener.Close()
			return fmt.Errorf("certificate: %w", err)
		}
		scheme = "https"
		settings := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
		listener = tls.NewListener(listener, settings)
	}
	fmt.Fprintf(out, "serving %s on %s://%s/\n", strings.Join(o.jobs, ", "), scheme, listener.Addr())
	return serveUntil(ctx, listener, s)
}

// serveUntil serves until ctx ends, and waits for the answers under way, but not for live views.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	base, cut := context.WithCancel(context.Background())
	defer cut()
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return base },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	cut()
	patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := server.Shutdown(patience)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}

// checkExposure refuses to listen where strangers are without a token and TLS.
func (o *serveOptions) checkExposure() error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return cli.UsageError("--listen 127.0.0.1:8480", "--listen: %w", err)
	}
	address, err := netip.ParseAddr(host)
	switch {
	case host == "localhost", err == nil && address.IsLoopback():
		return nil
	case o.token == "":
		return cli.UsageError("--token FILE lets in only who knows what is in it",
			"%s can be reached from other machines, and there is no --token", o.listen)
	case o.cert == "" && !o.proxied:
		return cli.UsageError("--tls-cert and --tls-key; or --behind-proxy if a proxy speaks TLS",
			"%s can be reached from other machines, and the token would cross the network in the clear", o.listen)
	}
	return nil
}

// tokenIn returns what stands in the file of the token, which it makes if there is none.
func tokenIn(name string, out io.Writer) (string, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		token := rand.Text()
		if err := os.WriteFile(name, []byte(token+"\n"), 0o600); err != nil {
			return "", fmt.Errorf("write token: %w", err)
		}
		fmt.Fprintf(out, "a new token is in %s\n", name)
		return token, nil
	}
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < serve.MinToken {
		return "", cli.UsageError("remove the file, and a good one is made",
			"%s: a token needs at least %d bytes", name, serve.MinToken)
	}
	return token, nil
}
