package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/cluster/tenure"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// joinPatience is how long the brokers are waited for when a node begins.
const joinPatience = 30 * time.Second

// handOverDrift is by how much the clocks of two nodes may differ for their ledgers to prove that no pause was too short when a
// site went from one to the other. verify takes them to differ by 100 ms if it is not told otherwise.
const handOverDrift = 200 * time.Millisecond

// openQueue opens the queue of the job: its own, or the one that it shares.
func (s *stores) openQueue(j *job.Job, c config.Config, log *zap.Logger) error {
	if err := sameMode(j, &c.Frontier); err != nil {
		return err
	}
	o := disk.Options{
		Memory: int64(c.Frontier.Memory), ActiveSites: c.Frontier.ActiveSites, DefaultDelay: time.Duration(c.Politeness.Delay),
		Barrier: s.barrier, Began: s.began, Logger: log.Named("frontier"),
	}
	ctx := context.Background()
	if c.Frontier.IsShared() {
		if err := cmp.Or(s.compareLedger(ctx, j, c), s.comparePages(ctx, j, c)); err != nil {
			return err
		}
		return s.joinQueue(j, c, o)
	}
	f, err := disk.Open(j.Path(job.FrontierDir), o)
	if err != nil {
		return Damaged(c, "the queue of the job", err)
	}
	s.frontier, s.own = f, f
	if err := s.compareQueue(ctx, j, c); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// compareQueue finds out whether the queue of the job is what its ledger tells of, and tells it what it missed.
func (s *stores) compareQueue(ctx context.Context, j *job.Job, c config.Config) error {
	if err := s.compareLedger(ctx, j, c); err != nil {
		return err
	}
	forgotten, err := ForgottenBy(ctx, s.own, j.Path(job.LedgerDir))
	if err == nil && forgotten != "" {
		err = fmt.Errorf("it has forgotten %s, which the ledger knows", forgotten)
	}
	if err != nil {
		return Damaged(c, "the queue of the job", err)
	}
	if err := s.comparePages(ctx, j, c); err != nil {
		return err
	}
	if !s.own.Unclean() {
		return nil
	}
	politeness := c.Crawler().Politeness
	return recallGates(ctx, j.Path(job.LedgerDir), s.own, &politeness, s.began)
}

// compareLedger finds out whether the ledger of the job is there, to its end.
func (s *stores) compareLedger(ctx context.Context, j *job.Job, c config.Config) error {
	lost, err := lostLedger(ctx, s.own, j)
	if err == nil && lost == "" && s.own != nil {
		err = s.ledger.Sync()
		lost = LostEnd(s.own.ReliesOn(), s.ledger.Synced())
	}
	if err == nil && lost != "" {
		err = errors.New(lost)
	}
	if err != nil {
		return Damaged(c, "the ledger of the job", err)
	}
	s.compared = true
	return nil
}

// comparePages finds out whether the list of pages has what the ledger tells of.
func (s *stores) comparePages(ctx context.Context, j *job.Job, c config.Config) error {
	lost, err := lostPages(ctx, j, s.own, s.pages)
	if err == nil && lost != "" {
		err = errors.New(lost)
	}
	if err != nil {
		return Damaged(c, "the pages of the job", err)
	}
	return nil
}

// sameMode makes sure that a job whose queue is its own goes on to be that, and a node of a shared crawl a node.
func sameMode(j *job.Job, f *config.Frontier) error {
	dir, mode := job.PartitionsDir, config.Clustered
	if f.IsShared() {
		dir, mode = job.FrontierDir, config.Embedded
	}
	if _, err := os.Stat(j.Path(dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return &cli.Error{Code: cli.ExitConfig, Err: fmt.Errorf("frontier.mode: this job was begun with %s, not %s", mode, f.Mode),
		Hint: "another directory (--job) begins another crawl"}
}

// joinQueue makes the process a node of a crawl that others share: of the one that the job has taken part in, if it has in any.
func (s *stores) joinQueue(j *job.Job, c config.Config, o disk.Options) error {
	dir, shared := j.Path(job.PartitionsDir), &c.Frontier.Cluster
	begun, err := readBegun(dir)
	if err != nil {
		return Damaged(c, "which crawl the job takes part in", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), joinPatience)
	defer cancel()
	o.Drift = handOverDrift
	join := JoinOptions(shared, shared.NodeName(j.Path("")), dir, o)
	join.Stream.Begun = begun
	m, err := cluster.Join(ctx, join)
	if err != nil {
		return BrokerError(err)
	}
	if begun.IsZero() {
		if err := writeBegun(dir, m.Begun()); err != nil {
			return errors.Join(err, m.Close())
		}
	}
	s.frontier, s.node = m, m
	return nil
}

// begunFile says, among the partitions of a node, when the crawl began that they are of.
const begunFile = "begun"

// readBegun returns that; the zero time when there is none, or it is of a version that did not write it down.
func readBegun(dir string) (begun time.Time, err error) {
	text, err := os.ReadFile(filepath.Join(dir, begunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return begun, nil
	}
	if err == nil && begun.UnmarshalText(bytes.TrimSpace(text)) != nil {
		err = fmt.Errorf("%s/%s does not say when it began", job.PartitionsDir, begunFile)
	}
	return begun, err
}

func writeBegun(dir string, begun time.Time) error {
	text, err := begun.MarshalText()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return job.WriteFile(filepath.Join(dir, begunFile), append(text, '\n'))
}

// JoinOptions says how a node takes part in a crawl; dir is where it keeps its partitions.
func JoinOptions(c *config.Cluster, node, dir string, o disk.Options) cluster.JoinOptions {
	f := cluster.Options{
		Dir: dir, Disk: o, HandOver: time.Duration(c.HandOver), Standby: c.Standby, Logger: o.Logger,
		SnapshotEvery: int64(c.Log) / 16, SnapshotMost: int64(c.Log) / 4, // what came after the older of two fits into the log
	}
	if c.Snapshots != "" {
		f.Snapshots = cluster.Directory(c.Snapshots)
	}
	return cluster.JoinOptions{
		Node: node, Stream: StreamOptions(c), Tenure: tenure.Options{TTL: time.Duration(c.Lease)}, Frontier: f,
	}
}

// StreamOptions says where the brokers of a crawl are.
func StreamOptions(c *config.Cluster) stream.Options {
	return stream.Options{
		Servers: c.Servers, Credentials: c.Credentials, CA: c.CA, Certificate: c.Certificate, Key: c.Key,
		Job: c.Crawl, Partitions: c.Partitions, Replicas: c.Replicas, AllowUnsafe: c.AllowUnsafe, MaxBytes: int64(c.Log),
		Lease: time.Duration(c.Lease),
	}
}

// namesSetting matches an error that begins with the name of a setting.
var namesSetting = regexp.MustCompile(`^(servers|credentials|ca|certificate|crawl|node|partitions|replicas|log|snapshots|lease): `)

// BrokerError makes an error of package stream name the setting that is to be changed.
func BrokerError(err error) error {
	if namesSetting.MatchString(err.Error()) {
		err = fmt.Errorf("frontier.cluster.%w", err)
	}
	return &cli.Error{Code: cli.ExitConfig, Err: err, Hint: "nothing was asked for; see: cybermapper help cluster"}
}

// ownedPartitions tells how the partitions of this node stand.
func (s *stores) ownedPartitions(ctx context.Context) (all []progress.Partition, err error) {
	owned, err := s.node.Owned(ctx)
	for _, o := range owned {
		all = append(all, progress.PartitionOf(o.Partition, o.Epoch, o.LeaseAge, o.Rate, o.Stats))
	}
	return all, err
}
