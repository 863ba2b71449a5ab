package stream

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Health is how the brokers keep the stream of a partition.
type Health struct {
	Leader   string   `json:"leader"`            // empty while there is none
	Replicas int      `json:"replicas"`          // as configured
	Behind   []string `json:"behind,omitempty"`  // brokers whose copy is not up to date
	Offline  []string `json:"offline,omitempty"` // brokers that are away
	Messages uint64   `json:"messages"`
	Bytes    uint64   `json:"bytes"`
	MaxBytes int64    `json:"max_bytes"`
}

// muchBehind is how many messages a copy lacks that is told as behind; a few are on their way.
const muchBehind = 100

// Health returns how the brokers keep the stream of a partition.
func (b *Brokers) Health(ctx context.Context, partition int) (h Health, err error) {
	s, err := b.openStream(ctx, partition)
	if err != nil {
		return h, fmt.Errorf("look at the stream of partition %d: %w", partition, err)
	}
	info := s.CachedInfo()
	h = Health{
		Replicas: info.Config.Replicas, Messages: info.State.Msgs, Bytes: info.State.Bytes, MaxBytes: info.Config.MaxBytes,
	}
	if c := info.Cluster; c != nil {
		h.Leader = c.Leader
		for _, r := range c.Replicas {
			switch {
			case r.Offline:
				h.Offline = append(h.Offline, r.Name)
			case !r.Current && r.Lag > muchBehind:
				h.Behind = append(h.Behind, r.Name)
			}
		}
	} else {
		h.Leader = b.nc.ConnectedServerName() // brokers that are no cluster elect nobody
	}
	return h, nil
}

// A Service is what the brokers are like, as a client sees it.
type Service struct {
	Server  string        `json:"server"` // the one that answers this client
	Version string        `json:"version"`
	Cluster string        `json:"cluster,omitempty"` // its name; empty for a single broker
	Peers   []string      `json:"peers"`             // URLs of brokers that it names
	Secure  bool          `json:"secure"`            // the connection is encrypted
	RTT     time.Duration `json:"rtt_ns"`
	Drift   time.Duration `json:"drift_ns"`   // of the broker's wall clock against this machine's
	Used    uint64        `json:"used"`       // bytes of files, of this account
	Most    int64         `json:"most"`       // bytes that it may have; -1 for no limit
	Free    int64         `json:"free"`       // bytes of them that no stream has been promised; -1 for no limit
	Streams int           `json:"streams"`    // that it may have besides those there are; -1 for no limit
	Write   time.Duration `json:"write_ns"`   // the median of writes of a kilobyte to the register
	Slowest time.Duration `json:"slowest_ns"` // of them
}

// serviceWrites is how many writes are measured.
const serviceWrites = 20

// Service asks the brokers what they are like. It writes to a key of the register that nobody reads; Drift, Write and Slowest are 0
// if the job has not begun.
func (b *Brokers) Service(ctx context.Context) (s Service, err error) {
	s = Service{
		Server: b.nc.ConnectedServerName(), Version: b.nc.ConnectedServerVersion(), Cluster: b.nc.ConnectedClusterName(),
		Peers: b.nc.Servers(), Secure: b.nc.TLSRequired(),
	}
	if _, err := b.nc.TLSConnectionState(); err == nil {
		s.Secure = true
	}
	if s.RTT, err = b.nc.RTT(); err != nil {
		return s, err
	}
	begun := time.Now()
	one, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	account, err := b.js.AccountInfo(one)
	if err != nil {
		return s, b.inWords(b.denials.explain(fmt.Errorf("ask what the account may have: %w", err), begun, ""))
	}
	s.Used, s.Most = account.Store, account.Limits.MaxStore
	if s.Most <= 0 {
		s.Most, s.Free = -1, -1
	} else {
		s.Free = max(0, s.Most-int64(min(account.ReservedStore, math.MaxInt64)))
	}
	if s.Streams = -1; account.Limits.MaxStreams > 0 {
		s.Streams = max(0, account.Limits.MaxStreams-account.Streams)
	}
	if b.kv == nil {
		return s, nil
	}
	if s.Drift, err = b.drift(ctx); err != nil {
		return s, err
	}
	err = b.measure(ctx, &s)
	return s, err
}

// drift compares the clock of the broker that leads the register with this machine's: it noted the time while this one waited.
func (b *Brokers) drift(ctx context.Context) (time.Duration, error) {
	before := time.Now()
	s, err := b.js.Stream(ctx, "KV_"+b.kv.Bucket())
	if err != nil {
		return 0, err
	}
	took := time.Since(before)
	return s.CachedInfo().TimeStamp.Sub(before.Add(took / 2)), nil
}

func (b *Brokers) measure(ctx context.Context, s *Service) error {
	took := make([]time.Duration, 0, serviceWrites)
	for range serviceWrites {
		began := time.Now()
		one, cancel := context.WithTimeout(ctx, askPatience)
		_, err := b.kv.Put(one, "probe", make([]byte, 1<<10))
		cancel()
		if err != nil {
			return b.inWords(b.denials.explain(fmt.Errorf("write to the register: %w", err), began, ""))
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	s.Write, s.Slowest = took[len(took)/2], took[len(took)-1]
	return nil
}

// Partitions returns into how many the crawl is cut.
func (b *Brokers) Partitions() int { return b.o.Partitions }

// Begun returns when the crawl began, by the clock of the node that began it.
func (b *Brokers) Begun() time.Time { return b.begun }
