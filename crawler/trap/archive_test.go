package trap

import (
	"fmt"
	"testing"
)

func TestArchivesOf(t *testing.T) {
	for _, tt := range []struct{ pathQuery, place string }{
		{"/r.git/snapshot/r-6b2d4c0a6ecd215a207b18edcc2a919db2e5be51.tar.gz", "/r.git/snapshot/r-N.tar.gz"}, // cgit
		{"/?p=r.git;a=snapshot;h=10e87fe9eaec671f89425dc366f004a9336bcc8f;sf=tgz", "/?p=r.git;a=snapshot;h=N;sf=tgz"},
		{"/r/archive/a1927de92b15.zip", "/r/archive/N.zip"}, // hgweb
		{"/r/archive/a1927de92b15.tar.gz/src/lib/", "/r/archive/N.tar.gz/"},
		{"/r/archive/a1927de92b15.zip/src/a.go", ""},
		{"/r/archive/a1927de92b15.d/src/", ""},
		{"/pool/1.2.zip/src/", ""},
		{"/r/tarball/6eadd3d18b/r-6eadd3d18b.tar.gz", "/r/tarball/N/r-N.tar.gz"},                         // Fossil
		{"/o/r/-/archive/6EADD3D18B0123/r-6EADD3D18B0123.tar?path=a", "/o/r/-/archive/N/r-N.tar?path=a"}, // GitLab
		{"/list/export/l-ZLLOATS4MLLYC3KMUYCOX66DZA3G7OCA.mbox.gz?thread=ZLLOATS4MLLYC3KMUYCOX66DZA3G7OCA",
			"/list/export/l-N.mbox.gz?thread=N"}, // HyperKitty
		{"/list/export/l-2026-11.mbox.gz?start=2022-01-01&end=2026-11-26", "/list/export/l-N-N.mbox.gz?start=N-N-N&end=N-N-N"},
		{"/list/20191118162350.GA3741@mail.example.org/t.mbox.gz", "/list/N/t.mbox.gz"}, // public-inbox
		{"/pkg/left-pad@1.3.0/a.tgz", ""},
		{"/pkg/left-pad@2.0.0-rc.beta/a.tgz", ""},
		{"/pkg/left-pad@next/a.tgz", ""},
		{"/pkg/@example.org/a.tgz", ""},
		{"/me@example.org.zip", ""},
		{"/project/tarball/36", "/project/tarball/N"},                         // Loggerhead
		{"/svn/trunk/?view=tar&pathrev=36", "/svn/trunk/?view=tar&pathrev=N"}, // ViewVC
		{"/svn/trunk/?view=tar", ""},
		{"/project/tarball/1.2", ""},
		{"/tarball", ""},
		{"/svn/a.zip?page=2", ""},
		{"/list/export/l-2026-11.mbox.gz", ""},
		{"/get?file=backup.zip&day=2026-11-26", ""},
		{"/get?file=backup.zip&from=2026/11/26&to=2026-11", ""},
		{"/files/THISISTHENAMEOFSOMETHINGLONGER.zip", ""},
		{"/r.git/snapshot/r-1.2.tar.gz", ""},
		{"/r.git/snapshot/r-20261126170000.tar.gz", ""}, // a date
		{"/r.git/commit/?id=6b2d4c0a6ecd215a207b18edcc2a919db2e5be51", ""},
		{"/r.git/plain/a.go?id=6b2d4c0a6ecd215a207b18edcc2a919db2e5be51", ""},
		{"/pool/main/defaced/defaced_1.0.tar.gz", ""},           // a word
		{"/files/550e8400-e29b-41d4-a716-44665544000a.zip", ""}, // a UUID
		{"/", ""},
	} {
		if place, ok := archivesOf(tt.pathQuery); ok != (tt.place != "") || ok && place != tt.place {
			t.Errorf("archivesOf(%q) = %q, %v; want %q", tt.pathQuery, place, ok, tt.place)
		}
	}
}

// Ensure that of archives which a program makes of one revision each a few are asked for, in a place and on a host, and all of
// those that are files; and that those which were put aside stay so when the crawl is started anew.
func TestDetector_Archives(t *testing.T) {
	archive := func(project, revision int) URL {
		return at(fmt.Sprintf("/%d.git/snapshot/%d-%040x.tar.gz", project, project, 0xabc0000+revision))
	}
	asked := func(d *Detector, projects int, made bool) (n int, last Finding) {
		d.Visit(Page{URL: at("/")})
		for revision := range 20 {
			for project := range projects {
				u := archive(project, revision)
				if f, bad := d.Suspect(u, at("/"), today); bad {
					last = f
					continue
				}
				n++
				d.Visit(Page{URL: u, Via: at("/"), Made: made})
			}
		}
		return n, last
	}
	if n, f := asked(New(Options{}), 1, true); n != 8 || f.Kind != Archives || f.Place != "http://a.example/0.git/snapshot/0-N.tar.gz" {
		t.Errorf("%d archives of a place were asked for, want 8; %v", n, f)
	}
	n, f := asked(New(Options{}), 30, true)
	if n != 32 || f.Place != "http://a.example/*" {
		t.Errorf("%d archives of a host were asked for, want 32; %v", n, f)
	}
	d := New(Options{})
	d.Restore(archive(29, 19), f)
	if n, _ := asked(d, 30, true); n > 0 {
		t.Errorf("%d archives of a host were asked for when the crawl was started anew", n)
	}
	if n, _ := asked(New(Options{}), 1, false); n != 20 {
		t.Errorf("%d archives that are files were asked for, want 20", n)
	}
	if n, _ := asked(New(Options{Archives: -1}), 1, true); n != 20 {
		t.Errorf("%d archives were asked for without a bound, want 20", n)
	}
	_, f = asked(New(Options{}), 1, true)
	d = New(Options{})
	d.Restore(archive(0, 19), f)
	if n, _ := asked(d, 1, true); n > 0 {
		t.Errorf("%d archives were asked for when the crawl was started anew", n)
	}
}
