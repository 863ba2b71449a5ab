//go:build unix

package main

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// Whoever sets a umask of 077 keeps a crawl to themselves: no file that it writes, and none that is made of it, is for others.
func TestUmaskHolds(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "<p>secret"}})
	command := commandFile(t)
	dir := t.TempDir()
	job := filepath.Join(dir, "job")
	for _, args := range [][]string{
		{"crawl", "--job", job, "--warc", "--allow-private", "--delay", "1ms", site.URL + "/"},
		{"report", "--job", job, "--out", filepath.Join(dir, "report.html")},
		{"verify", "--job", job, "--host", site.Addr.String(), "--bundle", filepath.Join(dir, "bundle.zip")},
		{"export", "sqlite", "--job", job, filepath.Join(dir, "crawl.db")},
		{"archive", "wacz", "--job", job, filepath.Join(dir, "crawl.wacz")},
	} {
		cmd := exec.Command("sh", append([]string{"-c", `umask 077; exec "$0" "$@"`, command}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	n := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the permissions %v", name, info.Mode().Perm())
		}
		n++
		return err
	})
	if err != nil || n < 20 {
		t.Errorf("%d files looked at: %v", n, err)
	}
}
