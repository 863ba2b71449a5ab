package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module     = "github.com/cybermapper/cybermapper"
	moduleRoot = "../.."
)

// mayImport is the architecture: each package and the packages of this module that it may import. No arrow points upwards.
// A new package or a new edge is a decision; make it here, not in passing.
var mayImport = map[string][]string{
	// level 0: knows one subject and none of the others
	"robots":                     {},
	"robots/internal/structured": {},
	"crawler/internal/bounded":   {},
	"crawler/internal/hashset":   {},
	"frontier":                   {},
	"storage":                    {},
	"crawler/fetch":              {},
	"crawler/extract":            {},
	"crawler/sitemap":            {},
	"crawler/optout":             {},
	"crawler/simhash":            {},
	"crawler/trap":               {"crawler/internal/bounded"},
	"crawler/webtest":            {},
	"storage/bootclock":          {},
	"storage/ctxio":              {},
	"storage/cputime":            {},
	"storage/filetest":           {},
	"storage/database":           {},
	"storage/durable":            {},
	"storage/index/term":         {},
	"storage/internal/ahead":     {},
	"storage/internal/contents":  {},
	"storage/jsonline":           {},
	"storage/sqlfile":            {},
	// level 1: implements a contract, or joins contracts
	"frontier/memory":       {"frontier"},
	"frontier/disk":         {"frontier", "storage/bootclock", "storage/database"},
	"frontier/frontiertest": {"frontier"},
	"frontier/clocktest":    {},
	"frontier/cluster": {
		"frontier", "frontier/cluster/stream", "frontier/cluster/tenure", "frontier/disk", "storage/ctxio", "storage/bootclock",
	},
	"frontier/cluster/broker":     {},
	"frontier/cluster/brokertest": {"frontier/cluster/broker"},
	"frontier/cluster/stream":     {},
	"frontier/cluster/tenure":     {"storage/bootclock"},
	"robots/lint":                 {"robots", "robots/roster"},
	"robots/explain":              {"robots", "robots/roster"},
	"robots/compose":              {"robots", "robots/roster"},
	"robots/preference":           {"robots", "robots/internal/structured"},
	"robots/roster":               {"robots"},
	"robots/robotstest":           {},
	"robots/accesslog":            {"robots"},
	"robots/accesslog/block":      {},
	"robots/accesslog/errorlog":   {},
	"robots/accesslog/owner":      {},
	"robots/accesslog/signature":  {"robots/internal/structured"},
	"robots/accesslog/strain":     {"robots/accesslog"},
	"robots/accesslog/audit": {
		"robots", "robots/accesslog", "robots/accesslog/block", "robots/accesslog/errorlog", "robots/accesslog/owner",
		"robots/accesslog/signature", "robots/accesslog/strain", "robots/roster",
	},
	"storage/pages": {
		"storage/database", "storage", "storage/durable", "storage/internal/ahead", "storage/internal/contents", "storage/jsonline",
	},
	"storage/ledger": {
		"storage", "storage/bootclock", "storage/durable", "storage/internal/ahead", "storage/internal/contents", "storage/ctxio",
		"storage/jsonline",
	},
	"storage/ledger/ledgertest": {"storage/filetest", "storage/ledger"},
	"storage/checkpoint":        {"storage/ledger"},
	"storage/index":             {"storage/index/term", "storage/sqlfile"},
	"storage/warc":              {"storage", "storage/durable", "storage/jsonline"},
	"storage/wacz":              {"storage/warc", "storage/ctxio"},
	"crawler": {
		"frontier", "robots", "robots/preference", "storage", "crawler/fetch", "crawler/extract", "crawler/simhash",
		"crawler/sitemap",
		"crawler/trap", "crawler/internal/bounded", "crawler/internal/hashset", "storage/jsonline",
	},
	// level 2: looks at a crawl from outside
	"crawler/verify": {"crawler/optout", "robots", "robots/accesslog", "storage/checkpoint", "storage/ledger", "storage/pages"},
	// the command: its subjects, and level 3, which names concrete types
	"cmd/cybermapper/internal/guess":    {},
	"cmd/cybermapper/internal/help":     {"cmd/cybermapper/internal/guess"},
	"cmd/cybermapper/internal/notices":  {},
	"cmd/cybermapper/internal/demosite": {},
	"cmd/cybermapper/internal/config":   {"cmd/cybermapper/internal/guess", "crawler", "crawler/fetch", "frontier", "robots"},
	"cmd/cybermapper/internal/say":      {"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/translate", "crawler", "robots"},
	"cmd/cybermapper/internal/cli": {
		"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/guess", "cmd/cybermapper/internal/job",
		"cmd/cybermapper/internal/pipe", "cmd/cybermapper/internal/say", "cmd/cybermapper/internal/translate", "frontier",
	},
	"cmd/cybermapper/internal/pipe":      {},
	"cmd/cybermapper/internal/translate": {},
	"cmd/cybermapper/internal/seed":      {"frontier"},
	"cmd/cybermapper/internal/spool": {
		"cmd/cybermapper/internal/job", "cmd/cybermapper/internal/say", "cmd/cybermapper/internal/translate", "crawler",
	},
	"cmd/cybermapper/internal/job": {
		"cmd/cybermapper/internal/pipe", "cmd/cybermapper/internal/seed", "crawler/optout", "frontier", "frontier/disk",
		"storage/durable", "storage/ledger",
	},
	"cmd/cybermapper/internal/journal": {"storage", "crawler", "robots", "storage/ledger", "storage/pages"},
	"cmd/cybermapper/internal/progress": {
		"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/job", "cmd/cybermapper/internal/say",
		"cmd/cybermapper/internal/translate", "crawler", "frontier",
	},
	"cmd/cybermapper/internal/browsertest": {},
	"cmd/cybermapper/internal/chaos":       {"frontier/cluster/broker"},
	"cmd/cybermapper/internal/audit": {
		"cmd/cybermapper/internal/audit/auditpage", "cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/job",
		"cmd/cybermapper/internal/progress", "cmd/cybermapper/internal/say", "robots", "robots/accesslog", "robots/accesslog/audit",
		"robots/accesslog/errorlog", "robots/accesslog/owner", "robots/accesslog/signature", "robots/accesslog/strain", "robots/roster",
		"storage/ctxio", "storage/ledger",
	},
	"cmd/cybermapper/internal/audit/auditpage": {
		"cmd/cybermapper/internal/htmlreport", "cmd/cybermapper/internal/say", "robots", "robots/accesslog",
		"robots/accesslog/audit",
		"robots/accesslog/owner", "robots/roster",
		"robots/accesslog/strain",
	},
	"cmd/cybermapper/internal/htmlreport": {"cmd/cybermapper/internal/say", "storage/ledger"},
	"cmd/cybermapper/internal/report": {
		"cmd/cybermapper/internal/htmlreport", "cmd/cybermapper/internal/job", "cmd/cybermapper/internal/progress",
		"cmd/cybermapper/internal/say", "crawler", "crawler/fetch", "frontier", "robots", "storage/ledger", "storage/pages",
	},
	"cmd/cybermapper/internal/plan": {
		"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/say", "crawler", "frontier", "robots",
	},
	"cmd/cybermapper/internal/explain": {
		"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/guess", "cmd/cybermapper/internal/job",
		"cmd/cybermapper/internal/journal",
		"cmd/cybermapper/internal/say", "cmd/cybermapper/internal/versions", "crawler", "crawler/trap", "frontier", "robots",
		"storage/ledger",
		"storage/pages",
	},
	"cmd/cybermapper/internal/versions": {
		"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/job", "crawler", "robots", "storage/ledger",
	},
	"cmd/cybermapper/internal/archivecmd": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/job", "cmd/cybermapper/internal/say", "crawler/extract",
		"crawler/fetch", "frontier", "storage/wacz", "storage/warc",
	},
	"cmd/cybermapper/internal/changescmd": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/htmlreport", "cmd/cybermapper/internal/job",
		"cmd/cybermapper/internal/say", "crawler", "crawler/extract", "frontier", "storage", "storage/ledger", "storage/pages",
	},
	"cmd/cybermapper/internal/exportcmd": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/config", "cmd/cybermapper/internal/graph",
		"cmd/cybermapper/internal/job", "cmd/cybermapper/internal/say", "crawler", "crawler/extract", "frontier",
		"storage/ledger", "storage/pages", "storage/sqlfile",
	},
	"cmd/cybermapper/internal/robotscmd": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/config", "cmd/cybermapper/internal/explain",
		"cmd/cybermapper/internal/job", "cmd/cybermapper/internal/say", "cmd/cybermapper/internal/versions", "crawler",
		"crawler/extract", "crawler/fetch", "crawler/sitemap", "frontier", "robots", "robots/compose", "robots/explain",
		"robots/lint", "robots/preference", "robots/roster", "storage", "storage/ledger", "storage/pages",
	},
	"cmd/cybermapper/internal/indexer": {
		"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/explain", "cmd/cybermapper/internal/job",
		"cmd/cybermapper/internal/say", "crawler", "crawler/extract", "crawler/optout", "crawler/simhash", "frontier", "robots",
		"robots/preference", "storage", "storage/index", "storage/index/term", "storage/ledger", "storage/pages",
	},
	"cmd/cybermapper/internal/graph": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/job", "cmd/cybermapper/internal/say", "crawler", "crawler/extract",
		"frontier", "storage/ledger",
		"storage/pages", "storage/sqlfile",
	},
	"cmd/cybermapper/internal/engine": {
		"cmd/cybermapper/internal/graph", "cmd/cybermapper/internal/indexer", "storage/index",
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/config", "cmd/cybermapper/internal/job",
		"cmd/cybermapper/internal/journal", "cmd/cybermapper/internal/plan", "cmd/cybermapper/internal/progress",
		"cmd/cybermapper/internal/report", "cmd/cybermapper/internal/say", "cmd/cybermapper/internal/translate", "cmd/cybermapper/internal/seed",
		"cmd/cybermapper/internal/spool", "crawler", "crawler/extract", "crawler/fetch", "crawler/optout", "frontier",
		"frontier/cluster", "frontier/cluster/stream", "frontier/cluster/tenure",
		"frontier/disk", "frontier/memory", "robots", "robots/accesslog/signature", "storage", "storage/bootclock", "storage/checkpoint",
		"storage/ledger", "storage/pages", "storage/warc",
	},
	"cmd/cybermapper/internal/serve": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/config", "cmd/cybermapper/internal/explain",
		"cmd/cybermapper/internal/graph", "cmd/cybermapper/internal/htmlreport", "cmd/cybermapper/internal/indexer",
		"cmd/cybermapper/internal/job", "cmd/cybermapper/internal/progress",
		"cmd/cybermapper/internal/say", "cmd/cybermapper/internal/seed", "cmd/cybermapper/internal/spool",
		"cmd/cybermapper/internal/translate", "cmd/cybermapper/internal/versions", "crawler", "crawler/optout", "robots",
		"storage/index", "storage/ledger", "storage/pages",
	},
	"cmd/cybermapper/internal/demo": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/config", "cmd/cybermapper/internal/demosite",
		"cmd/cybermapper/internal/engine", "cmd/cybermapper/internal/job", "cmd/cybermapper/internal/progress",
		"cmd/cybermapper/internal/say", "cmd/cybermapper/internal/seed", "cmd/cybermapper/internal/spool",
		"cmd/cybermapper/internal/translate", "crawler", "frontier", "robots", "storage/pages",
	},
	"cmd/cybermapper/internal/clustercmd": {
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/config", "cmd/cybermapper/internal/engine",
		"cmd/cybermapper/internal/job", "cmd/cybermapper/internal/say", "frontier/cluster", "frontier/cluster/broker",
		"frontier/cluster/stream", "frontier/disk",
	},
	"cmd/cybermapper": {
		"frontier/clocktest", // with the tag of that name
		"cmd/cybermapper/internal/translate", "cmd/cybermapper/internal/clustercmd", "frontier/cluster/broker",
		"cmd/cybermapper/internal/archivecmd", "cmd/cybermapper/internal/audit", "cmd/cybermapper/internal/changescmd",
		"cmd/cybermapper/internal/cli",
		"cmd/cybermapper/internal/config",
		"cmd/cybermapper/internal/demo", "cmd/cybermapper/internal/engine", "cmd/cybermapper/internal/explain",
		"cmd/cybermapper/internal/exportcmd",
		"cmd/cybermapper/internal/graph", "cmd/cybermapper/internal/guess", "cmd/cybermapper/internal/help",
		"cmd/cybermapper/internal/indexer",
		"cmd/cybermapper/internal/job", "storage/index",
		"cmd/cybermapper/internal/notices", "cmd/cybermapper/internal/plan", "cmd/cybermapper/internal/progress",
		"cmd/cybermapper/internal/report",
		"cmd/cybermapper/internal/robotscmd", "cmd/cybermapper/internal/say", "cmd/cybermapper/internal/seed",
		"cmd/cybermapper/internal/serve", "cmd/cybermapper/internal/spool", "crawler/verify", "frontier", "robots",
		"robots/accesslog", "robots/accesslog/signature", "robots/roster",
		"storage/checkpoint", "storage/index", "storage/ledger",
		"storage/pages", "storage/warc",
	},
}

// testsMayImport is what test files may import besides what their package may, and besides their package: test support, the
// frontier that is an oracle, URLs to resolve with what others leave unresolved, and pages to store.
var testsMayImport = []string{
	"cmd/cybermapper/internal/browsertest", "cmd/cybermapper/internal/chaos", "crawler/simhash", "crawler/webtest", "frontier", "frontier/clocktest",
	"frontier/cluster", "frontier/cluster/brokertest", "frontier/cluster/stream", "frontier/frontiertest", "frontier/memory",
	"robots/robotstest", "storage", "storage/cputime", "storage/filetest",
	"storage/ledger/ledgertest",
}

// homes says which packages may import a library that is to stay in one place. A library that is not listed may be
// imported anywhere, except by robots.
var homes = map[string][]string{
	"github.com/PuerkitoBio/goquery":   {"crawler/extract"},
	"github.com/cockroachdb/pebble/v2": {"frontier/disk", "storage/database", "storage/pages"},
	"github.com/nlnwa/whatwg-url":      {"frontier"},
	"github.com/gogs/chardet":          {"crawler/extract"},
	"github.com/wlynxg/chardet":        {"crawler/extract"},
	"github.com/andybalholm/brotli":    {"crawler/fetch", "crawler/webtest"},
	"github.com/klauspost/compress": {"crawler/fetch", "crawler/webtest", "frontier/cluster/stream", "storage/index", "storage/ledger",
		"storage/warc", "storage/wacz"},
	"github.com/nats-io/nats.go":        {"frontier/cluster/stream"},
	"github.com/nats-io/nats-server/v2": {"frontier/cluster/broker"},
	"github.com/spf13/cobra": {
		"cmd/cybermapper", "cmd/cybermapper/internal/archivecmd", "cmd/cybermapper/internal/audit", "cmd/cybermapper/internal/changescmd",
		"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/clustercmd", "cmd/cybermapper/internal/demo",
		"cmd/cybermapper/internal/exportcmd", "cmd/cybermapper/internal/robotscmd",
	},
	"github.com/spf13/pflag": {
		"cmd/cybermapper", "cmd/cybermapper/internal/audit", "cmd/cybermapper/internal/cli",
		"cmd/cybermapper/internal/config", "cmd/cybermapper/internal/robotscmd",
	},
	"go.yaml.in/yaml/v3":                  {"cmd/cybermapper/internal/config"},
	"golang.org/x/net/publicsuffix":       {"cmd/cybermapper/internal/cli", "crawler", "crawler/fetch", "crawler/verify", "frontier/cluster"},
	"modernc.org/sqlite":                  {"cmd/cybermapper/internal/graph", "storage/index", "storage/sqlfile"},
	"github.com/blevesearch/snowballstem": {"storage/index/term"},
	"golang.org/x/text/feature/plural":    {"cmd/cybermapper/internal/translate"},
	"golang.org/x/text/language":          {"cmd/cybermapper/internal/translate"},
	"golang.org/x/text/message":           {"cmd/cybermapper/internal/translate"},
	"golang.org/x/text/message/catalog":   {"cmd/cybermapper/internal/translate"},
	"golang.org/x/term":                   {"cmd/cybermapper/internal/cli", "cmd/cybermapper/internal/progress"},
	"github.com/rogpeppe/go-internal":     {"cmd/cybermapper"},
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range moduleFiles(t, parser.ImportsOnly) {
		allowed, ok := mayImport[f.pkg]
		if !ok {
			if !seen[f.pkg] {
				t.Errorf("package %s is not in the table mayImport", f.pkg)
			}
			seen[f.pkg] = true
			continue
		}
		seen[f.pkg] = true
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			checkImport(t, f, path, allowed)
		}
	}
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("the table mayImport lists package %s, which does not exist", pkg)
		}
	}
}

func checkImport(t *testing.T, f sourceFile, path string, allowed []string) {
	own, isOwn := strings.CutPrefix(path, module+"/")
	host, _, _ := strings.Cut(path, "/")
	switch {
	case isOwn && slices.Contains(allowed, own):
	case isOwn && f.isTest && (own == f.pkg || slices.Contains(testsMayImport, own)):
	case isOwn:
		t.Errorf("%s imports %s, which %s may not", f.name, own, f.pkg)
	case !strings.Contains(host, "."): // the standard library
	case f.pkg == "robots" && !f.isTest:
		t.Errorf("%s imports %s: robots uses the standard library only", f.name, path)
	default:
		for library, home := range homes {
			if (path == library || strings.HasPrefix(path, library+"/")) && !f.isTest && !slices.Contains(home, f.pkg) {
				t.Errorf("%s imports %s, which lives in %s only", f.name, path, strings.Join(home, ", "))
			}
		}
	}
}

// A sourceFile is one parsed Go file of the module.
type sourceFile struct {
	*ast.File
	name   string // relative to the module
	pkg    string // its directory, relative to the module
	isTest bool
}

// moduleFiles parses all Go files of the module. It reads them itself, for the test cache does not see what a
// subprocess reads.
func moduleFiles(t *testing.T, mode parser.Mode) []sourceFile {
	t.Helper()
	var files []sourceFile
	fset := token.NewFileSet()
	err := filepath.WalkDir(moduleRoot, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != moduleRoot && (name[0] == '.' || name[0] == '_' || name == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, path, src, mode)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(moduleRoot, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, sourceFile{
			File: f, name: rel, pkg: filepath.ToSlash(filepath.Dir(rel)), isTest: strings.HasSuffix(name, "_test.go"),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("found no Go files")
	}
	return files
}
