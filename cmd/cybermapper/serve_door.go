package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/serve"
)

// A door is where visitors come in: a port that is bound, and the rules for who may.
type door struct {
	listener net.Listener
	options  serve.Options
	keyPair  *keyPair // nil without TLS
}

// open binds the port, if it may be.
func (o *serveOptions) open(out io.Writer) (*door, error) {
	if err := o.checkExposure(); err != nil {
		return nil, err
	}
	d := &door{options: serve.Options{Hosts: o.hosts, TLS: o.cert != "" || o.proxied}}
	var err error
	if o.token != "" {
		if d.options.Token, err = o.readToken(out); err != nil {
			return nil, err
		}
	}
	if o.cert != "" {
		d.keyPair = &keyPair{cert: o.cert, key: o.key}
		if err := d.keyPair.renew(); err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
	}
	if d.listener, err = net.Listen("tcp", o.listen); err != nil {
		return nil, cli.WithHint(err, "--"+o.flag+" names another address, as 127.0.0.1:8481")
	}
	return d, nil
}

// url returns where a browser finds the door: where all addresses are listened on, under the first name that the server has.
func (d *door) url() string {
	scheme, at := "http", d.listener.Addr().String()
	if d.keyPair != nil {
		scheme = "https"
	}
	if a, err := netip.ParseAddrPort(at); err == nil && a.Addr().IsUnspecified() {
		name := "localhost"
		if len(d.options.Hosts) > 0 {
			name = d.options.Hosts[0]
		}
		at = net.JoinHostPort(name, fmt.Sprint(a.Port()))
	}
	return scheme + "://" + at + "/"
}

// server returns what shows jobs to those who come in.
func (d *door) server(jobs []string, log *zap.Logger) (*serve.Server, error) {
	o := d.options
	o.Jobs, o.Log = jobs, log
	return serve.New(o)
}

// serveUntil serves until ctx ends, and waits for the answers under way, but not for live views.
func (d *door) serveUntil(ctx context.Context, h http.Handler, log *zap.Logger) error {
	base, cut := context.WithCancel(context.Background())
	defer cut()
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog: stdlog.New(serverLog{log}, "", 0),
	}
	accept := server.Serve
	if d.keyPair != nil {
		server.TLSConfig = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return d.keyPair.get(log), nil
		}}
		accept = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	ended := make(chan error, 1)
	go func() { ended <- accept(d.listener) }()
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

// A serverLog takes what package net/http has to say. Who does not get as far as a request is of no interest: any port that
// strangers can reach has many of these.
type serverLog struct{ log *zap.Logger }

func (l serverLog) Write(p []byte) (int, error) {
	level, text := zap.WarnLevel, string(p)
	if strings.HasPrefix(text, "http: TLS handshake error") || strings.HasPrefix(text, "http2: server: error reading preface") {
		level = zap.DebugLevel
	}
	l.log.Log(level, strings.TrimSpace(text))
	return len(p), nil
}

// A keyPair is a certificate with its key, in files that may be renewed: a certificate lasts for weeks, a crawl for months. It is
// safe for concurrent use.
type keyPair struct {
	cert, key string // PEM files

	mu     sync.Mutex // guards what follows
	pair   *tls.Certificate
	read   [2]os.FileInfo // of the files that were read last
	looked time.Time
}

// lookEvery is how often somebody who comes lets the files be looked at.
const lookEvery = 10 * time.Second

// get returns the pair: a renewed one as soon as both files are, else the one before.
func (k *keyPair) get(log *zap.Logger) *tls.Certificate {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.looked) > lookEvery {
		if err := k.renew(); err != nil {
			log.Warn("the certificate cannot be read anew; the one before is used", zap.Error(err))
		}
	}
	return k.pair
}

// renew reads the files if they are not those that were read. The caller holds mu, or is alone.
func (k *keyPair) renew() error {
	k.looked = time.Now()
	var found [2]os.FileInfo
	for i, name := range []string{k.cert, k.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		found[i] = info
	}
	if isUnchanged(k.read[0], found[0]) && isUnchanged(k.read[1], found[1]) {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(k.cert, k.key)
	if err != nil {
		return err
	}
	k.pair, k.read = &pair, found
	return nil
}

// isUnchanged reports whether a file is the one that was there before, or nil. A link may lead to another that is as old: what
// brings files may give them all one time.
func isUnchanged(before, now os.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}
