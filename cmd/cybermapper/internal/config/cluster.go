package config

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// What Frontier.Mode may be.
const (
	Embedded  = "embedded" // the queue lies in the job directory, and is one process's
	Clustered = "cluster"  // it is shared by nodes, over brokers
)

// Frontier says where the queue is, and bounds it.
type Frontier struct {
	Mode        string  `yaml:"mode"`
	Memory      Size    `yaml:"memory"`
	ActiveSites int     `yaml:"active_sites"`
	Cluster     Cluster `yaml:"cluster"`
}

// IsShared reports whether other nodes take part in the crawl.
func (f *Frontier) IsShared() bool { return f.Mode == Clustered }

// Cluster says how a node takes part in a crawl of many. It is the same on all nodes, but for Node and the names of files.
type Cluster struct {
	Crawl       string   `yaml:"crawl"` // its name at the brokers
	Node        string   `yaml:"node"`  // empty: see NodeName
	Servers     []string `yaml:"servers"`
	Credentials string   `yaml:"credentials"`
	CA          string   `yaml:"ca"`
	Certificate string   `yaml:"certificate"`
	Key         string   `yaml:"key"`
	Partitions  int      `yaml:"partitions"`
	Replicas    int      `yaml:"replicas"`
	Log         Size     `yaml:"log"`       // of a partition, at the brokers
	Snapshots   string   `yaml:"snapshots"` // a directory; empty: at the brokers
	Lease       Duration `yaml:"lease"`
	HandOver    Duration `yaml:"hand_over"`
	Standby     bool     `yaml:"standby"`
	AllowUnsafe bool     `yaml:"allow_unsafe"`
}

// usualCluster returns the defaults.
func usualCluster() Cluster {
	return Cluster{
		Servers: []string{}, Partitions: 64, Replicas: 3, Log: 1 << 30,
		Lease: Duration(20 * time.Second), HandOver: Duration(1500 * time.Millisecond),
	}
}

// NodeName returns what the node is called: as configured, or by the names of its machine and of its job directory, of which a long
// one ends in a digest of the whole.
func (c *Cluster) NodeName(dir string) string {
	if c.Node != "" {
		return c.Node
	}
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	name := notInName.ReplaceAllString(host, "-") + "_" + notInName.ReplaceAllString(filepath.Base(dir), "-")
	if len(name) > maxNodeName {
		const digits = 16
		sum := sha256.Sum256([]byte(name))
		name = name[:maxNodeName-digits-1] + "-" + hex.EncodeToString(sum[:])[:digits]
	}
	return name
}

var (
	notInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	isName    = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

func (f *Frontier) validate(wrong complaint) {
	oneOf(wrong, "frontier.mode", f.Mode, Embedded, Clustered)
	least(wrong, "frontier.memory", f.Memory, 16<<20)
	least(wrong, "frontier.active_sites", f.ActiveSites, 1000)
	f.Cluster.bound(wrong)
	if f.IsShared() {
		f.Cluster.validate(wrong)
	}
}

// bound says which numbers cannot be, whether they are used or not.
func (c *Cluster) bound(wrong complaint) {
	least(wrong, "frontier.cluster.partitions", c.Partitions, 1)
	if c.Partitions > maxPartitions {
		wrong("frontier.cluster.partitions", "must be at most %d, not %d", maxPartitions, c.Partitions)
	}
	least(wrong, "frontier.cluster.replicas", c.Replicas, 1)
	least(wrong, "frontier.cluster.log", c.Log, 16<<20)
	least(wrong, "frontier.cluster.lease", c.Lease, Duration(4*time.Second))
	least(wrong, "frontier.cluster.hand_over", c.HandOver, 0)
}

func (c *Cluster) validate(wrong complaint) {
	if !isName.MatchString(c.Crawl) {
		wrong("frontier.cluster.crawl", "%q is no name: give the crawl one of letters, digits, - and _, the same on all nodes",
			c.Crawl)
	}
	if c.Node != "" && (!isName.MatchString(c.Node) || len(c.Node) > maxNodeName) {
		wrong("frontier.cluster.node", "%q is no name: letters, digits, - and _ make one, %d at most", c.Node, maxNodeName)
	}
	if len(c.Servers) == 0 {
		wrong("frontier.cluster.servers", "name one broker at least, as nats://host:4222")
	}
	for _, s := range c.Servers {
		if u, err := url.Parse(s); err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "" {
			wrong("frontier.cluster.servers", "%q is not nats://HOST:PORT or tls://HOST:PORT", s)
		} else if u.User != nil {
			wrong("frontier.cluster.servers", "%q holds a secret: use credentials", u.Redacted())
		}
	}
	if (c.Certificate == "") != (c.Key == "") {
		wrong("frontier.cluster.certificate", "certificate and key go together")
	}
	if c.Replicas < safeReplicas && !c.AllowUnsafe {
		wrong("frontier.cluster.replicas", "with %d, a broker that is lost takes acknowledged pages with it: use %d, or set "+
			"allow_unsafe", c.Replicas, safeReplicas)
	}
}

const (
	maxPartitions = 1024
	safeReplicas  = 3
	maxNodeName   = 64 // bytes; as package tenure has it
)
