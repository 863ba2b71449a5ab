package stream

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// Options say where the brokers are, and what a job keeps there.
type Options struct {
	// Servers are the URLs of the brokers (nats://host:4222 or tls://host:4222), some of them at least.
	Servers []string
	// Credentials is the file of a user's credentials; empty for none.
	Credentials string
	// CA is the file of the authorities that certificates of brokers may come from; empty for those of the system. Certificate and
	// Key are the files of what this client shows; empty for nothing.
	CA, Certificate, Key string
	// Node is what brokers call this client in what they tell an operator.
	Node string

	// Job is the name of the crawl: letters, digits, "-" and "_".
	Job string
	// Partitions is into how many the crawl is cut; fixed by whoever is first.
	Partitions int
	// Replicas is how many brokers keep each stream; default 3. Fewer than 3 lose what was acknowledged, or the crawl, with a
	// broker: they need AllowUnsafe.
	Replicas    int
	AllowUnsafe bool
	// Lease is after how long without a sign of it a node counts as gone; fixed by whoever is first, as a node that others wait for
	// less long than it takes itself for an owner would go on beside them. 0 is not compared.
	Lease time.Duration
	// Existing makes nothing at the brokers: a job that has not begun is an error.
	Existing bool
	// Begun is when the job began that this client has taken part in; zero when it has in none. Another one of that name is an
	// error, and none is begun in the place of one whose brokers have lost it.
	Begun time.Time
	// Probe connects and no more, for Brokers.Service; whether the job has begun does not matter.
	Probe bool
	// MaxBytes bounds the stream of each partition; default 1 GiB. Links are taken up to nine tenths of it, so that owners can
	// always write.
	MaxBytes int64
}

// Defaults and bounds.
const (
	usualReplicas = 3
	usualMaxBytes = 1 << 30
	maxPartitions = 1024
	leastMajor    = 2
	leastMinor    = 15
	leastPayload  = maxPart + 64<<10 // of what brokers take in one message: a part, and what is before it

	pingEvery    = 2 * time.Second // a broker that is frozen is noticed after three
	pingsMissing = 2
	askPatience  = 5 * time.Second // of one question to the brokers, at most

	firstPatience = 500 * time.Millisecond // of one that is asked again
	duplicates    = 2 * time.Minute        // how long ids of messages are remembered
)

// Connect connects to the brokers, and makes what the job needs there if it is not there yet. ctx bounds that. The error names the
// setting that is to be changed.
func Connect(ctx context.Context, o Options) (*Brokers, error) {
	o.Replicas = cmp.Or(o.Replicas, usualReplicas)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), usualMaxBytes)
	if err := o.validate(); err != nil {
		return nil, err
	}
	b := &Brokers{o: o}
	var err error
	if b.nc, err = dial(o, b.denials.note); err != nil {
		return nil, err
	}
	if err := b.begin(ctx); err != nil {
		b.nc.Close()
		return nil, err
	}
	return b, nil
}

func (o *Options) validate() error {
	switch {
	case len(o.Servers) == 0:
		return errors.New("servers: name one broker at least, as nats://host:4222")
	case o.Job == "" || strings.Trim(o.Job, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
		return fmt.Errorf("crawl: %q is no name; letters, digits, - and _ make one", o.Job)
	case o.Partitions < 1 || o.Partitions > maxPartitions:
		return fmt.Errorf("partitions: %d is not between 1 and %d", o.Partitions, maxPartitions)
	case o.Replicas < usualReplicas && !o.AllowUnsafe:
		return fmt.Errorf("replicas: with %d a broker that is lost takes acknowledged pages with it; use 3, or set allow_unsafe",
			o.Replicas)
	}
	return nil
}

func dial(o Options, hear nats.ErrHandler) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("cybermapper " + o.Job + " " + o.Node), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsMissing), nats.Timeout(askPatience),
		nats.ErrorHandler(hear), nats.IgnoreAuthErrorAbort(), // credentials may be renewed
		nats.CustomInboxPrefix(inbox(o.Job)), // where a user may publish, too: owners answer there
	}
	if o.Credentials != "" {
		if err := checkCredentials(o.Credentials); err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		options = append(options, nats.UserCredentials(o.Credentials))
	}
	if o.CA != "" || o.Certificate != "" {
		secure, err := o.tls()
		if err != nil {
			return nil, err
		}
		options = append(options, secure)
	}
	nc, err := nats.Connect(strings.Join(o.Servers, ","), options...)
	var unknown x509.UnknownAuthorityError
	switch {
	case err == nil:
	case isRefusal(err):
		return nil, fmt.Errorf("credentials: the brokers refuse them: %w", err)
	case errors.As(err, &unknown):
		return nil, fmt.Errorf("ca: the certificate of a broker comes from elsewhere: %w", err)
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		return nil, fmt.Errorf("servers: the brokers and this node do not agree on TLS: %w", err)
	default:
		return nil, fmt.Errorf("servers: none of %s can be reached: %w", strings.Join(o.Servers, ", "), err)
	}
	if err := checkBroker(nc); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// checkBroker returns an error when the broker is not one that nodes can do with.
func checkBroker(nc *nats.Conn) error {
	version, most := nc.ConnectedServerVersion(), nc.MaxPayload()
	switch {
	case isOlder(version):
		return fmt.Errorf("servers: %s runs version %s; %d.%d at least is needed", nc.ConnectedUrlRedacted(), version, leastMajor,
			leastMinor)
	case most < leastPayload:
		return fmt.Errorf("servers: %s takes messages of %d bytes at most; its max_payload must be %d at least",
			nc.ConnectedUrlRedacted(), most, leastPayload)
	}
	return nil
}

// checkCredentials returns an error when a file cannot be read, or has no seed of a user's key in it.
func checkCredentials(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if _, err := nkeys.ParseDecoratedUserNKey(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// tls returns how brokers are spoken to with TLS. The files are read at each connection, as credentials are: they may be renewed.
func (o *Options) tls() (nats.Option, error) {
	var (
		pair  nats.TLSCertHandler
		roots nats.RootCAsHandler
	)
	if o.CA != "" {
		roots = o.authorities
		if _, err := roots(); err != nil {
			return nil, err
		}
	}
	if o.Certificate != "" {
		pair = func() (tls.Certificate, error) { return tls.LoadX509KeyPair(o.Certificate, o.Key) }
		if _, err := pair(); err != nil {
			return nil, fmt.Errorf("certificate: with key: %w", err)
		}
	}
	return nats.ClientTLSConfig(pair, roots), nil
}

// authorities reads who may sign certificates of brokers.
func (o *Options) authorities() (*x509.CertPool, error) {
	pem, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca: %s has no certificate", o.CA)
	}
	return pool, nil
}

// isOlder reports whether a version such as 2.15.2 is too old, or none.
func isOlder(version string) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	return err1 != nil || err2 != nil || major < leastMajor || major == leastMajor && minor < leastMinor
}

// Brokers are the brokers of a cluster, as one node reaches them for one job. Its methods are safe for concurrent use.
type Brokers struct {
	o      Options
	nc     *nats.Conn
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	secret []byte
	begun  time.Time
	full   []watermark // of each partition

	incarnations incarnations
	denials      denials
}

// Close ends the connection.
func (b *Brokers) Close() { b.nc.Close() }

// Secret returns what decides which site falls into which partition of the job: 32 bytes that do not change.
func (b *Brokers) Secret() []byte { return b.secret }

func (b *Brokers) streamName(partition int) string {
	return fmt.Sprintf("CM_%s_%04d", b.o.Job, partition)
}

// inbox returns where answers go, of brokers and of nodes.
func inbox(job string) string { return "cm." + job + ".answers" }

// subject returns that of the inbox ("in"), the log ("own") or the calls ("call") of a partition.
func (b *Brokers) subject(partition int, kind string) string {
	return fmt.Sprintf("cm.%s.p.%04d.%s", b.o.Job, partition, kind)
}
