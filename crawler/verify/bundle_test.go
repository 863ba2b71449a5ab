package verify_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// crowd is the story of one site among others, of which a bundle tells nothing.
func crowd() (records []ledger.Record) {
	for i, r := range story() {
		records = append(records, r)
		if i == 0 || r.Type != ledger.Request {
			continue
		}
		other := r
		other.Site, other.URL = "other.example", strings.Replace(r.URL, host, "other.example", 1)
		other.Origin = strings.Replace(r.Origin, host, "other.example", 1)
		records = append(records, other, other)
	}
	return records
}

// signKey is a key that signs bundles.
func signKey(t testing.TB) *checkpoint.Key {
	t.Helper()
	secret, err := checkpoint.GenerateKey("crawler.example")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key")
	filetest.Write(t, name, secret)
	k, err := checkpoint.ReadKey(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// bundle writes a bundle of a job, signed if there is a key, and returns its name.
func bundle(t testing.TB, j verify.Job, key *checkpoint.Key) string {
	t.Helper()
	var tree checkpoint.Tree
	if err := tree.Follow(j.Ledger, 0); err != nil {
		t.Fatal(err)
	}
	c := tree.Checkpoint("crawler.example/x")
	if key != nil {
		var err error
		if c, err = c.Sign(key); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "bundle.zip")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	o := verify.BundleOptions{Site: host, Checkpoint: c, Version: "test", Made: began, Cuts: []int64{5}}
	if err := errors.Join(verify.WriteBundle(t.Context(), f, j, o), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// proveBundle judges a bundle.
func proveBundle(t testing.TB, name string, o verify.Options) *verify.Report {
	t.Helper()
	b, err := verify.OpenBundle(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return prove(t, verify.Job{Bundle: b}, o)
}

// repack writes a bundle anew, with what change makes of its files.
func repack(t testing.TB, name string, change func(files map[string]string)) string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string]string{}
	for _, f := range z.File {
		data, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
	}
	change(files)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, data := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	filetest.Close(t, w)
	other := filepath.Join(t.TempDir(), "other.zip")
	filetest.Write(t, other, out.Bytes())
	return other
}

// What is proven from the job is proven from the bundle alone, of which nobody else's lines are part.
func TestBundle_ProvesWhatTheJobProves(t *testing.T) {
	j, key := write(t, crowd()), signKey(t)
	name := bundle(t, j, key)
	full := prove(t, j, verify.Options{Site: host})
	r := proveBundle(t, name, verify.Options{Keys: []string{key.Verifier}})
	if r.Verdict != verify.Proven {
		for _, p := range r.Promises {
			t.Logf("%s %s %v", p.Verdict, p.Name, p.Findings)
		}
		t.Fatalf("the bundle is %s", r.Verdict)
	}
	for _, p := range full.Promises {
		if b := r.Promise(p.Name); b != nil && (b.Verdict != p.Verdict || b.Checked != p.Checked) {
			t.Errorf("%s: %s of %d in the job, %s of %d in the bundle", p.Name, p.Verdict, p.Checked, b.Verdict, b.Checked)
		}
	}
	repack(t, name, func(files map[string]string) {
		if strings.Contains(files["lines.jsonl"], "other.example") {
			t.Error("lines of another site are in the bundle")
		}
		if len(files) != 6 { // README.txt, bundle.json, checkpoints, lines.jsonl, proof.txt, one robots.txt
			t.Errorf("%d files", len(files))
		}
	})
}

// TestBundle_Lies alters bundles. None of it is proven.
func TestBundle_Lies(t *testing.T) {
	key := signKey(t)
	name := bundle(t, write(t, crowd()), key)
	another := bundle(t, write(t, crowd()[:12]), key)
	lines := func(change func(l []string) []string) func(map[string]string) {
		return func(files map[string]string) {
			files["lines.jsonl"] = strings.Join(change(strings.SplitAfter(files["lines.jsonl"], "\n")), "")
		}
	}
	for lie, tt := range map[string]struct {
		tell    func(files map[string]string)
		promise verify.Name
		want    verify.Verdict
		what    string
	}{
		"a line altered": {
			lines(func(l []string) []string { l[2] = strings.Replace(l[2], `"status":200`, `"status":404`, 1); return l }),
			verify.Included, verify.Refuted, "was altered: the proof shows another line",
		},
		"a line inserted": {
			lines(func(l []string) []string { return slices.Insert(l, 3, strings.Replace(l[2], `"seq":5`, `"seq":6`, 1)) }),
			verify.Included, verify.Refuted, "was altered: the proof shows another line",
		},
		"lines moved": {
			lines(func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }),
			verify.Included, verify.Refuted, "is out of order",
		},
		"a request left out": {
			func(files map[string]string) {
				l := strings.SplitAfter(files["lines.jsonl"], "\n")
				i := slices.IndexFunc(l, func(s string) bool {
					return strings.Contains(s, `"type":"request"`) && strings.Contains(s, "/private/press")
				})
				files["lines.jsonl"] = strings.Join(slices.Delete(l, i, i+2), "") // with its outcome
				files["bundle.json"] = strings.Replace(files["bundle.json"], `"lines": 12`, `"lines": 10`, 1)
			},
			verify.Records, verify.NotShown, "one between them may be missing",
		},
		"lines left out, and counted": {
			lines(func(l []string) []string { return l[:4] }),
			verify.Included, verify.Refuted, "the bundle is said to have 12 lines",
		},
		"a robots.txt altered": {
			func(files map[string]string) {
				name := "robots/" + strings.TrimPrefix(digest(file), "sha256:")
				files[name] = strings.Replace(files[name], "Disallow", "Dis_llow", 1)
			},
			verify.Files, verify.Refuted, "was altered",
		},
		"a robots.txt that no line names": {
			func(files map[string]string) { files["robots/"+strings.Repeat("0", 64)] = "User-agent: *\nAllow: /\n" },
			verify.Files, verify.Refuted, "was altered, or has another name",
		},
		"a robots.txt left out": {
			func(files map[string]string) { delete(files, "robots/"+strings.TrimPrefix(digest(file), "sha256:")) },
			verify.Allowed, verify.NotShown, "is not stored",
		},
		"a proof of another ledger": {
			func(files map[string]string) {
				files["proof.txt"] = strings.Replace(files["proof.txt"], "1 1 ", "1 1 00", 1)
			},
			verify.Included, verify.Refuted, "has no proof",
		},
		"a proof with a hole": {
			func(files map[string]string) { _, files["proof.txt"], _ = strings.Cut(files["proof.txt"], "\n") },
			verify.Included, verify.Refuted, "proof.txt line 1: checkpoint: the row of records 2",
		},
		"a proof of other records behind the last line": {
			func(files map[string]string) {
				rest := files["proof.txt"][:len(files["proof.txt"])-2]
				last := map[bool]string{true: "1", false: "0"}[strings.HasSuffix(files["proof.txt"], "0\n")]
				files["proof.txt"] = rest + last + "\n"
			},
			verify.Included, verify.Refuted, "the proof leads to",
		},
		"the checkpoint of another": {
			func(files map[string]string) {
				c, err := checkpoint.Parse([]byte(files["checkpoints"]))
				if err != nil {
					t.Fatal(err)
				}
				signed, err := checkpoint.Checkpoint{Origin: "x", Size: c[0].Size, Root: c[0].Root}.Sign(signKey(t))
				if err != nil {
					t.Fatal(err)
				}
				files["checkpoints"] = string(signed.Note)
			},
			verify.Included, verify.NotShown, "is not signed with a key that is known",
		},
		"a signature removed": {
			func(files map[string]string) { files["checkpoints"], _, _ = strings.Cut(files["checkpoints"], "—") },
			verify.Included, verify.NotShown, "is not signed with a key that is known",
		},
		"all rewritten, signed anew": {
			func(files map[string]string) {
				clear(files)
				repack(t, another, func(other map[string]string) {
					maps.Copy(files, other)
				})
			},
			verify.Continues, verify.NotShown, "the bundle is older than the checkpoint",
		},
	} {
		t.Run(lie, func(t *testing.T) {
			o := verify.Options{Keys: []string{key.Verifier}}
			if tt.promise == verify.Continues {
				o.Heads = []checkpoint.Head{{Size: 17, Root: "00000000"}}
			}
			p := proveBundle(t, repack(t, name, tt.tell), o).Promise(tt.promise)
			expectVerdict(t, p, tt.want, tt.what)
		})
	}
}

// A bundle is held against what its reader noted earlier.
func TestBundle_ContinuesWhatWasNoted(t *testing.T) {
	j := write(t, crowd())
	name := bundle(t, j, nil)
	var tree checkpoint.Tree
	if err := tree.Follow(j.Ledger, 5); err != nil {
		t.Fatal(err)
	}
	then := tree.Checkpoint("x")
	head, err := checkpoint.ParseHead(then.Short())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		head checkpoint.Head
		want verify.Verdict
	}{
		{head, verify.Proven},
		{checkpoint.Head{Size: 5, Root: "0000000000000000"}, verify.Refuted},
		{checkpoint.Head{Size: 3, Root: "0000000000000000"}, verify.NotShown},
		{checkpoint.Head{Size: 6000, Root: "0000000000000000"}, verify.NotShown},
		{checkpoint.Head{Sum: strings.Repeat("0", 64)}, verify.NotShown},
	} {
		if p := proveBundle(t, name, verify.Options{Heads: []checkpoint.Head{tt.head}}).Promise(verify.Continues); p.Verdict != tt.want {
			t.Errorf("%+v: %s %v, want %s", tt.head, p.Verdict, p.Findings, tt.want)
		}
	}
}

// TestOpenBundle_Hostile opens what was made to harm. Nothing is unpacked, little is read, and the error says what it is.
func TestOpenBundle_Hostile(t *testing.T) {
	honest := bundle(t, write(t, crowd()), nil)
	data := filetest.Read(t, honest)
	zipped := func(fill func(w *zip.Writer) error) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		if err := errors.Join(fill(w), w.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	with := func(h *zip.FileHeader, data []byte) []byte {
		return zipped(func(w *zip.Writer) error {
			f, err := w.CreateHeader(h)
			if err == nil {
				_, err = f.Write(data)
			}
			return err
		})
	}
	large := func(name string, size uint64) []byte { // said to be so large; nobody looks whether it is
		return zipped(func(w *zip.Writer) error {
			f, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, UncompressedSize64: size, CompressedSize64: 1})
			if err == nil {
				_, err = f.Write([]byte("x"))
			}
			return err
		})
	}
	link := &zip.FileHeader{Name: "lines.jsonl"}
	link.SetMode(fs.ModeSymlink | 0o777)
	for name, tt := range map[string]struct {
		data []byte
		what string
	}{
		"nothing":          {nil, "too short for a zip file"},
		"a text":           {[]byte(strings.Repeat("no zip file\n", 10)), "no zip file"},
		"cut off":          {data[:len(data)-10], "is cut off"},
		"something behind": {append(slices.Clone(data), "x"...), "something behind its end"},
		"another zip":      {with(&zip.FileHeader{Name: "holiday.jpg"}, []byte("x")), `a file "holiday.jpg", which belongs in no bundle`},
		"a path upwards":   {with(&zip.FileHeader{Name: "../../etc/passwd"}, []byte("x")), "belongs in no bundle"},
		"a path upwards from robots": {
			with(&zip.FileHeader{Name: "robots/../" + strings.Repeat("a", 61)}, []byte("x")), "belongs in no bundle",
		},
		"an absolute path": {with(&zip.FileHeader{Name: "/lines.jsonl"}, []byte("x")), "belongs in no bundle"},
		"a path of another system": {
			with(&zip.FileHeader{Name: `robots\lines.jsonl`}, []byte("x")), "belongs in no bundle",
		},
		"a link": {with(link, []byte("/etc/passwd")), "lines.jsonl is not a regular file"},
		"the same twice": {zipped(func(w *zip.Writer) error {
			_, err := w.Create("lines.jsonl")
			_, err2 := w.Create("lines.jsonl")
			return errors.Join(err, err2)
		}), "it has lines.jsonl twice"},
		"a bomb":       {large("lines.jsonl", 64<<20), "times larger than what it takes"},
		"a large page": {large("certificate.html", 65<<20), "more than the 67108864 that it may have"},
		"no lines":     {with(&zip.FileHeader{Name: "bundle.json"}, []byte("{}")), "it has no lines.jsonl"},
		"many names": {zipped(func(w *zip.Writer) error {
			for i := range 60_000 {
				if _, err := w.Create(strings.Repeat("x", 40) + string(rune(i))); err != nil {
					return err
				}
			}
			return nil
		}), "its table of contents has"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.zip")
			filetest.Write(t, file, tt.data)
			b, err := verify.OpenBundle(file)
			if err == nil {
				b.Close()
			}
			if !errors.Is(err, verify.ErrBundle) || !strings.Contains(err.Error(), tt.what) {
				t.Errorf("error %v, want %q", err, tt.what)
			}
		})
	}
}

// A bundle that says something twice may say something else to the next reader.
func TestOpenBundle_SaysNothingTwice(t *testing.T) {
	name := repack(t, bundle(t, write(t, crowd()), nil), func(files map[string]string) {
		files["bundle.json"] = strings.Replace(files["bundle.json"], `"site":`, `"site": "b.example", "site":`, 1)
	})
	b, err := verify.OpenBundle(name)
	if err == nil {
		b.Close()
	}
	if !errors.Is(err, verify.ErrBundle) || !strings.Contains(err.Error(), "bundle.json is not as it is written") {
		t.Errorf("error %v", err)
	}
}

// A file that lies about its size gives no more than it said.
func TestBundle_ASizeThatIsALie(t *testing.T) {
	name := bundle(t, write(t, crowd()), nil)
	data := filetest.Read(t, name)
	at := bytes.LastIndex(data, []byte("proof.txt")) - 46 // its entry in the table of contents
	copy(data[at+24:], []byte{10, 0, 0, 0})
	filetest.Write(t, name, data)
	if r := proveBundle(t, name, verify.Options{}); r.Promise(verify.Included).Verdict != verify.Refuted {
		t.Errorf("%+v", r.Promise(verify.Included))
	}
}

// Whatever somebody sends is judged or refused, and never proven unless it is the bundle that was made.
func FuzzOpenBundle(f *testing.F) {
	data := filetest.Read(f, bundle(f, write(f, crowd()), nil))
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "x.zip")
		filetest.Write(t, name, data)
		b, err := verify.OpenBundle(name)
		if err != nil {
			if !errors.Is(err, verify.ErrBundle) {
				t.Errorf("error %v", err)
			}
			return
		}
		defer b.Close()
		r, err := verify.Prove(t.Context(), verify.Job{Bundle: b}, verify.Options{})
		if err == nil && r.Verdict == verify.Proven && r.Records != uint64(b.Info.Records) {
			t.Errorf("proven, of %d records, not %d", r.Records, b.Info.Records)
		}
	})
}
