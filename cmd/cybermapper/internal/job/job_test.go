package job_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

func TestOpenJobTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "job")
	first, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Open(dir, job.Crawl); !errors.Is(err, job.ErrInUse) {
		t.Errorf("second open: %v, want %v", err, job.ErrInUse)
	}
	if err := first.WriteConfig(nil); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, first)
	again, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatalf("open after close: %v", err)
	}
	again.Close()
	if _, err := job.Open(dir, job.Demo); !errors.Is(err, job.ErrOtherKind) {
		t.Errorf("open the job of a crawl for a demo: %v, want %v", err, job.ErrOtherKind)
	}
}

// Whoever looks at a job that rests sees that it rests, also when others look at it too; a process that would work on it hears that
// it is looked at, and not of the one that worked on it last.
func TestLook_AtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	j, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.WriteConfig(nil); err != nil {
		t.Fatal(err)
	}
	queue, err := disk.Open(j.Path(job.FrontierDir), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, queue)
	filetest.Close(t, j)
	for range 3 {
		v, err := job.Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if used, err := job.InUse(dir); v.Running || v.Frontier == nil || used || err != nil {
			t.Errorf("running: %v, with its queue: %v, in use: %v, %v", v.Running, v.Frontier != nil, used, err)
		}
	}
	if _, err := job.Open(dir, job.Crawl); !errors.Is(err, job.ErrInUse) || !strings.Contains(err.Error(), "a command that looks at it") {
		t.Errorf("open what is looked at: %v", err)
	}
}

// --fresh deletes nothing that is not a job directory, and in a job directory nothing that is not the job's.
func TestFreshDeletesOnlyJobs(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		opens bool
		left  []string
	}{
		{"missing", nil, true, []string{"LOCK"}},
		{"empty", map[string]string{}, true, []string{"LOCK"}},
		{"killed when it began", map[string]string{"job.yaml.12.tmp": "# cyb"}, true, []string{"LOCK"}},
		{"not ours", map[string]string{"photo.12.tmp": "x"}, false, []string{"photo.12.tmp"}},
		{"photos", map[string]string{"pages/wedding.jpg": "x"}, false, []string{"pages"}},
		{"other yaml", map[string]string{"job.yaml": "kind: Job\n", "pages/x": "y"}, false, []string{"job.yaml", "pages"}},
		{"job", map[string]string{"job.yaml": "# cybermapper job, format 1: crawl\n", "pages/h/x": "y", "report.json": "{}", "status.json": "{}"}, true, []string{"LOCK"}},
		{"job and more", map[string]string{"job.yaml": "# cybermapper job, format 1: crawl\n", "pages/h/x": "y", "notes.txt": "mine"}, true, []string{"LOCK", "notes.txt"}},
		{"demo", map[string]string{"job.yaml": "# cybermapper job, format 1: demo\n", "pages/h/x": "y"}, false, []string{"job.yaml", "pages"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "job")
			if tt.files != nil {
				mkdir(t, dir)
			}
			for name, text := range tt.files {
				mkdir(t, filepath.Dir(filepath.Join(dir, name)))
				filetest.Write(t, filepath.Join(dir, name), text)
			}
			j, err := job.Open(dir, job.Crawl)
			if opened := err == nil; opened != tt.opens {
				t.Errorf("Open: error %v, want opened = %t", err, tt.opens)
			}
			if err == nil {
				defer j.Close()
				if err := j.Clear(); err != nil {
					t.Error(err)
				}
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if strings.Join(left, " ") != strings.Join(tt.left, " ") {
				t.Errorf("left are %q, want %q", left, tt.left)
			}
		})
	}
}

// What a kill left of a job that was being deleted is no job to go on with, whoever opens it, and whatever of it is gone.
func TestOpen_GoesOnStartingOver(t *testing.T) {
	const header = "# cybermapper job, format 1: crawl\n"
	for name, files := range map[string][]string{
		"begun":        {"job.yaml", "clearing", "pages/a.test/x", "ledger/ledger-000001.jsonl", "pages.damaged/x"},
		"half":         {"job.yaml", "clearing", "ledger/ledger-000001.jsonl"},
		"all but mark": {"clearing"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range append(files, "optout.txt", "debts.json") {
				mkdir(t, filepath.Dir(filepath.Join(dir, name)))
				filetest.Write(t, filepath.Join(dir, name), header)
			}
			if _, err := job.KindOf(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("kind: %v, want %v", err, fs.ErrNotExist)
			}
			if err := job.Require(dir, job.Demo); slices.Contains(files, job.ConfigFile) && !errors.Is(err, job.ErrOtherKind) {
				t.Errorf("for a demo: %v, want %v", err, job.ErrOtherKind)
			}
			j, err := job.Open(dir, job.Crawl)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			var left []string
			entries, err := os.ReadDir(dir)
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if got := strings.Join(left, " "); err != nil || got != "LOCK debts.json optout.txt" {
				t.Errorf("left are %s (%v)", got, err)
			}
		})
	}
}

func TestReadJobKind(t *testing.T) {
	dir := t.TempDir()
	if _, err := job.KindOf(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := job.KindOf(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty directory: %v, want %v", err, fs.ErrNotExist)
	}
	filetest.Write(t, filepath.Join(dir, "x"), "")
	if _, err := job.KindOf(dir); !errors.Is(err, job.ErrNoJob) {
		t.Errorf("directory of something else: %v, want %v", err, job.ErrNoJob)
	}
	within := filepath.Join(dir, "z")
	if err := os.Mkdir(within, 0o777); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(within, job.ConfigFile), "# cybermapper job, format 1: crawl\n")
	if _, err := job.KindOf(dir); !errors.Is(err, job.ErrNoJob) || !strings.HasSuffix(err.Error(), "but "+within+" in it is one") {
		t.Errorf("directory of jobs: %v, want %v, and which one is in it", err, job.ErrNoJob)
	}
	filetest.Write(t, filepath.Join(dir, job.ConfigFile), "# cybermapper job, format 2: crawl\n")
	if _, err := job.KindOf(dir); !errors.Is(err, job.ErrNewer) {
		t.Errorf("job of format 2: %v, want %v", err, job.ErrNewer)
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestJobRemembersSeeds(t *testing.T) {
	j, err := job.Open(t.TempDir(), job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	parse := func(s string) frontier.URL {
		return frontiertest.URL(t, s)
	}
	a, b := seed.Seed{URL: parse("http://a.example/")}, seed.Seed{URL: parse("http://b.example/"), Depth: 2, Priority: 1, Note: "by mail"}
	c := seed.Seed{URL: parse("http://c.example/")}
	steps := []struct{ add, want []seed.Seed }{
		{nil, nil}, {[]seed.Seed{a, b, a}, []seed.Seed{a, b}}, {nil, []seed.Seed{a, b}}, {[]seed.Seed{b, c}, []seed.Seed{a, b, c}},
	}
	for i, s := range steps {
		if err := j.AddSeeds(s.add); err != nil {
			t.Fatal(err)
		}
		got, err := job.Seeds(j.Path(""))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, s.want) {
			t.Errorf("step %d: seeds %v, want %v", i, got, s.want)
		}
	}
}

// What killed processes left of a file is removed when it is written again, but not what another process still writes, nor what
// only looks like it.
func TestCreateBeside_RemovesWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.db")
	left, err := job.CreateTemp(dir, "a.db.")
	if err != nil {
		t.Fatal(err)
	}
	left.Close()
	beside := []string{left.Name() + "-journal", left.Name() + "-wal", left.Name() + "-shm"} // of a database
	for _, name := range beside {
		filetest.Write(t, name, "")
	}
	others := []string{"a.db", "a.db.backup.tmp", "a.db.old2.tmp", "b.db.0123456789abc.tmp", "a.db.0123456789ABC.tmp"}
	for _, other := range others {
		filetest.Write(t, filepath.Join(dir, other), "")
	}
	var written []*os.File
	for range 3 {
		f, err := job.CreateBeside(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		written = append(written, f)
	}
	for _, name := range append(beside, left.Name()) {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was left, and is still there", filepath.Base(name))
		}
	}
	for _, f := range written {
		others = append(others, filepath.Base(f.Name()))
	}
	for _, other := range others {
		if _, err := os.Stat(filepath.Join(dir, other)); err != nil {
			t.Error(err)
		}
	}
}
