package config

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cybermapper/cybermapper/crawler"
)

// Config is everything that can be set. A setting is named by its path: politeness.delay is Politeness.Delay, in the
// configuration file as well as in the environment (CYBERMAPPER_POLITENESS_DELAY). config.example.yaml says what each is
// for; a test keeps it complete.
type Config struct {
	Agent       Agent           `yaml:"agent"`
	Crawl       Crawl           `yaml:"crawl"`
	Recrawl     Recrawl         `yaml:"recrawl"`
	Politeness  Politeness      `yaml:"politeness"`
	Hosts       map[string]Host `yaml:"hosts"`
	Traps       Traps           `yaml:"traps"`
	Priority    []string        `yaml:"priority"` // "NUMBER PATTERN"
	ActionLinks []string        `yaml:"action_links"`
	OptOut      string          `yaml:"opt_out"`
	Fetch       Fetch           `yaml:"fetch"`
	Extract     Extract         `yaml:"extract"`
	Robots      Robots          `yaml:"robots"`
	Frontier    Frontier        `yaml:"frontier"`
	Storage     Storage         `yaml:"storage"`
	Archive     Archive         `yaml:"archive"`
	Search      Search          `yaml:"search"`
	Evidence    Evidence        `yaml:"evidence"`
	Log         Log             `yaml:"log"`
}

// Agent says who is crawling.
type Agent struct {
	Product string `yaml:"product"`
	Version string `yaml:"version"` // empty: that of the program
	Contact string `yaml:"contact"`
	Purpose string `yaml:"purpose"`

	Ranges  []string `yaml:"ranges"`  // where requests come from
	Discuss string   `yaml:"discuss"` // where this crawl can be talked about in public

	SignatureKey   string `yaml:"signature_key"`   // file of the key that signs requests; empty: none is signed
	SignatureAgent string `yaml:"signature_agent"` // where its directory is; empty: on the host of a contact that is a URL
}

// Recrawl says when pages are visited again.
type Recrawl struct {
	Always   bool     `yaml:"always"` // every run visits what is due
	First    Duration `yaml:"first"`
	Min      Duration `yaml:"min"`
	Max      Duration `yaml:"max"`
	GoneRest Duration `yaml:"gone_rest"`
	Gone     int      `yaml:"gone"`
	Purge    bool     `yaml:"purge"` // what may not be kept any more is removed
}

// Crawl says what is wanted, and how much of it.
type Crawl struct {
	Scope           string   `yaml:"scope"`
	Sitemaps        bool     `yaml:"sitemaps"`
	Requisites      bool     `yaml:"requisites"`
	RequisiteHosts  []string `yaml:"requisite_hosts"`
	CheckLinks      bool     `yaml:"check_links"`
	Include         []string `yaml:"include"`
	Exclude         []string `yaml:"exclude"`
	Accept          []string `yaml:"accept"`
	Reject          []string `yaml:"reject"`
	Depth           int      `yaml:"depth"`
	MaxPages        int64    `yaml:"max_pages"`
	MaxPagesPerHost int64    `yaml:"max_pages_per_host"`
	MaxBytesPerHost Size     `yaml:"max_bytes_per_host"`
	MaxTimePerHost  Duration `yaml:"max_time_per_host"`
	MaxTime         Duration `yaml:"max_time"`
	MaxBytes        Size     `yaml:"max_bytes"`
	Workers         int      `yaml:"workers"`
	SlowMemory      Size     `yaml:"slow_memory"`
	Retries         int      `yaml:"retries"`
	RetryDelay      Duration `yaml:"retry_delay"`
	Patience        Duration `yaml:"patience"`
	Hours           string   `yaml:"hours"`
	DrainTime       Duration `yaml:"drain_time"`
}

// Politeness bounds how fast a site is visited.
type Politeness struct {
	Delay          Duration `yaml:"delay"`
	DelayFactor    float64  `yaml:"delay_factor"`
	MaxDelay       Duration `yaml:"max_delay"`
	Jitter         Percent  `yaml:"jitter"`
	PerAddress     int      `yaml:"per_address"`
	LongDelay      Duration `yaml:"long_delay"`
	HostRest       Duration `yaml:"host_rest"`
	HostRestMax    Duration `yaml:"host_rest_max"`
	RetryAfterMax  Duration `yaml:"retry_after_max"`
	FailuresInRow  int      `yaml:"failures_in_row"`
	DenialsInRow   int      `yaml:"denials_in_row"`
	SignalsPerPage int      `yaml:"signals_per_page"`
}

// Host loosens the politeness towards one host of one's own.
type Host struct {
	Delay       *Duration `yaml:"delay,omitempty"` // nil: as politeness says
	Connections int       `yaml:"connections"`
	Release     bool      `yaml:"release,omitempty"`
	Priority    int       `yaml:"priority,omitempty"`
	Hours       string    `yaml:"hours,omitempty"`
	MaxPages    int64     `yaml:"max_pages,omitempty"` // 0: as crawl says; -1: no limit
	MaxBytes    Size      `yaml:"max_bytes,omitempty"` // 0: as crawl says
	MaxTime     Duration  `yaml:"max_time,omitempty"`  // likewise

	Proxy       string   `yaml:"proxy,omitempty"` // "": as fetch says; "direct": none
	Headers     []string `yaml:"headers,omitempty"`
	Cookies     string   `yaml:"cookies,omitempty"`
	Basic       Secret   `yaml:"basic,omitempty"`
	Bearer      Secret   `yaml:"bearer,omitempty"`
	Certificate string   `yaml:"certificate,omitempty"`
	Cleartext   bool     `yaml:"cleartext,omitempty"`

	AcceptCookies bool `yaml:"accept_cookies,omitempty"`
}

// Traps bounds what a site can make us visit without end.
type Traps struct {
	URLLength         int      `yaml:"url_length"`
	PathSegments      int      `yaml:"path_segments"`
	RepeatedSegments  int      `yaml:"repeated_segments"`
	Redirects         int      `yaml:"redirects"`
	LinksPerPage      int      `yaml:"links_per_page"`
	RequisitesPerPage int      `yaml:"requisites_per_page"`
	NestedStyles      int      `yaml:"nested_styles"`
	QueriesPerPath    int      `yaml:"queries_per_path"`
	PagesPerDirectory int      `yaml:"pages_per_directory"`
	DirectorySample   int      `yaml:"directory_sample"`
	DirectoryYield    Percent  `yaml:"directory_yield"`
	EndlessSample     int      `yaml:"endless_sample"`
	ScoutDepth        int      `yaml:"scout_depth"`
	Spellings         int      `yaml:"spellings"`
	Guises            int      `yaml:"guises"`
	RevisionArchives  int      `yaml:"revision_archives"`
	HostsPerDomain    int      `yaml:"hosts_per_domain"`
	SitemapsPerSite   int      `yaml:"sitemaps_per_site"`
	SitemapProofs     int      `yaml:"sitemap_proofs"`
	Soft404           bool     `yaml:"soft_404"`
	ListingOrders     bool     `yaml:"listing_orders"`
	SessionParameters []string `yaml:"session_parameters"`
	Release           []string `yaml:"release"`
	Remembered        int      `yaml:"remembered"`
}

// Log says what is logged on stderr, and how.
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
	File   string `yaml:"file"`
}

// Fetch bounds a single exchange.
type Fetch struct {
	AllowPrivate   bool     `yaml:"allow_private"`
	CAFile         string   `yaml:"ca_file"`
	Proxy          string   `yaml:"proxy"`
	ProxyLogin     Secret   `yaml:"proxy_login"`
	Resolve        []string `yaml:"resolve"`
	Bind           string   `yaml:"bind"`
	LimitRate      Size     `yaml:"limit_rate"`
	MaxBody        Size     `yaml:"max_body"`
	MaxHeader      Size     `yaml:"max_header"`
	MaxRatio       int      `yaml:"max_ratio"`
	ConnectTimeout Duration `yaml:"connect_timeout"`
	HeaderTimeout  Duration `yaml:"header_timeout"`
	BodyTimeout    Duration `yaml:"body_timeout"`
	BodyRate       Size     `yaml:"body_rate"`
	MinRate        Size     `yaml:"min_rate"`
	RateWindow     Duration `yaml:"rate_window"`
	BodyMemory     Size     `yaml:"body_memory"`
	DNSLife        Duration `yaml:"dns_life"`
	DNSErrorLife   Duration `yaml:"dns_error_life"`
}

// Extract bounds the reading of pages.
type Extract struct {
	Memory Size `yaml:"memory"`
}

// Robots says how robots.txt files are read and kept.
type Robots struct {
	Dialect     string   `yaml:"dialect"`
	MinLife     Duration `yaml:"min_life"`
	MaxLife     Duration `yaml:"max_life"`
	BackOff     Duration `yaml:"back_off"`
	MaxBackOff  Duration `yaml:"max_back_off"`
	GiveUp      Duration `yaml:"give_up"`
	UseLastGood bool     `yaml:"use_last_good"`
	TDMRepFile  bool     `yaml:"tdmrep_file"`
}

// Storage says what is kept, and how.
type Storage struct {
	Pages      bool `yaml:"pages"`
	LedgerFile Size `yaml:"ledger_file"`
}

// Archive says what is kept of that which goes over the wire, and how.
type Archive struct {
	WARC        bool   `yaml:"warc"`
	Compression string `yaml:"compression"`
	File        Size   `yaml:"file"`
	Noindex     bool   `yaml:"noindex"`
}

// Search says how pages are made to be searched.
type Search struct {
	Index       bool     `yaml:"index"`
	Mode        string   `yaml:"mode"`
	DynamicLife Duration `yaml:"dynamic_life"`
}

// Evidence says how the ledger is made fast against being rewritten.
type Evidence struct {
	Key     string `yaml:"key"`     // file of the key that signs checkpoints; empty: none is signed
	Publish string `yaml:"publish"` // directory of static files that checkpoints are published in; empty: nowhere

	Announce bool `yaml:"announce"` // the head of the ledger is in the User-Agent of requests for robots.txt
}

// Default returns the configuration of a crawl that sets nothing.
func Default() Config {
	return Config{
		Agent: Agent{Product: "cybermapper", Ranges: []string{}},
		Crawl: Crawl{
			Scope: "host", RequisiteHosts: []string{},
			Include: []string{}, Exclude: []string{}, Accept: []string{}, Reject: []string{},
			Depth: -1, Workers: 256, SlowMemory: 64 << 20, Retries: 2,
			RetryDelay: Duration(10 * time.Second), Patience: Duration(5 * time.Minute), DrainTime: Duration(5 * time.Second),
		},
		Recrawl: Recrawl{
			First: Duration(24 * time.Hour), Min: Duration(time.Hour), Max: Duration(90 * 24 * time.Hour),
			GoneRest: Duration(7 * 24 * time.Hour), Gone: 3,
		},
		Politeness: Politeness{
			Delay: Duration(3 * time.Second), DelayFactor: 5, MaxDelay: Duration(30 * time.Second), Jitter: 0.1, PerAddress: 4,
			LongDelay: Duration(5 * time.Minute), HostRest: Duration(time.Minute), HostRestMax: Duration(6 * time.Hour),
			RetryAfterMax: Duration(24 * time.Hour), FailuresInRow: 5, DenialsInRow: 20, SignalsPerPage: 10,
		},
		Hosts: map[string]Host{}, Priority: []string{},
		Traps: Traps{
			URLLength: 2048, PathSegments: 20, RepeatedSegments: 2, Redirects: 10, LinksPerPage: 100_000, QueriesPerPath: 100_000,
			RequisitesPerPage: 5000, NestedStyles: 5,
			PagesPerDirectory: 100_000, DirectorySample: 100, DirectoryYield: 0.1, EndlessSample: 40, ScoutDepth: 6, Spellings: 4,
			Guises: 16, RevisionArchives: 8, Release: []string{}, HostsPerDomain: 10_000, SitemapsPerSite: 1000, SitemapProofs: 100,
			Soft404: true, ListingOrders: true,
			SessionParameters: crawler.DefaultSessionParams(), Remembered: 100_000,
		},
		ActionLinks: crawler.DefaultActions(),
		Fetch: Fetch{
			Resolve: []string{}, MaxBody: 16 << 20, MaxHeader: 128 << 10, MaxRatio: 256, ConnectTimeout: Duration(10 * time.Second),
			HeaderTimeout: Duration(30 * time.Second), BodyTimeout: Duration(5 * time.Minute), BodyRate: 8 << 10, MinRate: 500,
			RateWindow: Duration(30 * time.Second), BodyMemory: 128 << 20,
			DNSLife: Duration(10 * time.Minute), DNSErrorLife: Duration(time.Minute),
		},
		Extract: Extract{Memory: 64 << 20},
		Robots: Robots{
			Dialect: "cautious", MinLife: Duration(time.Hour), MaxLife: Duration(24 * time.Hour),
			BackOff: Duration(5 * time.Minute), MaxBackOff: Duration(6 * time.Hour),
			GiveUp: Duration(30 * 24 * time.Hour),
		},
		Frontier: Frontier{Mode: Embedded, Memory: 64 << 20, ActiveSites: 10_000, Cluster: usualCluster()},
		Storage:  Storage{Pages: true, LedgerFile: 4 << 20},
		Archive:  Archive{Compression: "gzip", File: 1 << 30},
		Search:   Search{Mode: "words", DynamicLife: Duration(30 * 24 * time.Hour)},
		Log:      Log{Level: "info", Format: "auto"},
	}
}

// wholeNote begins a file that says itself where it ends.
const wholeNote = "# It is whole only with its last line, three dots."

// YAML returns the configuration as a file that decodes to it, and of which a [Loader] notices when its end is missing: it would
// mean the defaults for what is gone, among them shorter pauses.
func (c Config) YAML() ([]byte, error) {
	data, err := yaml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	return slices.Concat([]byte(wholeNote+"\n"), data, []byte("...\n")), nil
}

// isCutShort reports whether the end of a file that YAML made is missing.
func isCutShort(data []byte) bool {
	return bytes.Contains(data, []byte(wholeNote)) && !bytes.HasSuffix(bytes.TrimSpace(data), []byte("\n..."))
}

// UserAgent returns what the crawler calls itself: "cybermapper/1.0 (purpose; +https://example.org/bot)". program is the version
// of the program, for an agent without one of its own.
func (a Agent) UserAgent(program string) string {
	version := cmp.Or(a.Version, strings.TrimPrefix(program, "v"))
	var comment []string
	if a.Purpose != "" {
		comment = append(comment, a.Purpose)
	}
	if a.Contact != "" {
		comment = append(comment, "+"+a.Contact)
	}
	if len(comment) == 0 {
		return a.Product + "/" + version
	}
	return a.Product + "/" + version + " (" + strings.Join(comment, "; ") + ")"
}

// DirectoryHost returns the URL below which the directory of the key is that signs requests; "" when nobody knows.
func (a Agent) DirectoryHost() string {
	if a.SignatureAgent != "" {
		return strings.TrimSuffix(a.SignatureAgent, "/")
	}
	if u, err := url.Parse(a.Contact); err == nil && u.Scheme == "https" {
		return "https://" + u.Host
	}
	return ""
}

// From returns the mailbox for the From header: the contact, if it is one.
func (a Agent) From() string {
	if !isMailbox(a.Contact) {
		return ""
	}
	return strings.TrimPrefix(a.Contact, "mailto:")
}
