package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

func open(t testing.TB, dir string, o ledger.Options) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func mustAppend(t testing.TB, l *ledger.Ledger, records ...ledger.Record) {
	t.Helper()
	for _, r := range records {
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

// write appends n records to the ledger in dir and closes it.
func write(t testing.TB, dir string, n int, o ledger.Options) {
	t.Helper()
	l := open(t, dir, o)
	for i := range n {
		mustAppend(t, l, sample(i))
	}
	filetest.Close(t, l)
}

func sample(i int) ledger.Record {
	start := time.Date(2026, 7, 1, 12, 0, i, 123456789, time.UTC)
	return ledger.Record{
		Type: ledger.Request, Time: start.Add(time.Second), URL: fmt.Sprintf("https://example.org/page/%d?a=1&b=2", i),
		Site: "example.org", Via: "https://example.org/", Depth: 1, Purpose: "page", Attempt: 1, Method: "GET", Proto: "HTTP/2.0",
		Address: "192.0.2.1:443", Start: start, FirstByte: start.Add(40 * time.Millisecond), End: start.Add(80 * time.Millisecond),
		Status: 200, Bytes: 20480, MediaType: "text/html",
		Owed: ledger.Millis(3 * time.Second), Kept: ledger.Millis(3*time.Second + 1234*time.Microsecond),
		Gap: ledger.Millis(3 * time.Second), GapWhy: "floor",
		RobotsDigest: "sha256:" + strings.Repeat("ab", 32), RobotsLine: 7, RobotsRule: "Allow: /page/", RobotsReason: "rule",
	}
}

// readAll returns the records in dir, without what the ledger itself sets.
func readAll(t testing.TB, dir string) []ledger.Record {
	t.Helper()
	var records []ledger.Record
	for r, err := range ledger.Read(dir, ledger.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if want := uint64(len(records) + 1); r.Seq != want {
			t.Fatalf("record %d has seq %d", want, r.Seq)
		}
		r.Seq, r.Prev, r.Format, r.Boot, r.BootAt = 0, "", 0, "", 0
		records = append(records, r)
	}
	return records
}

func verify(t testing.TB, dir string) ledger.Report {
	t.Helper()
	report, err := ledger.Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestLedger_RecordsComeBackAsTheyWereAppended(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 3, ledger.Options{})
	write(t, dir, 2, ledger.Options{}) // a second run continues

	want := []ledger.Record{sample(0), sample(1), sample(2), sample(0), sample(1)}
	if diff := cmp.Diff(want, readAll(t, dir)); diff != "" {
		t.Error(diff)
	}
	if r := verify(t, dir); r.Bad != nil || r.Records != 5 || r.Files != 1 {
		t.Errorf("Verify = %+v", r)
	}
}

func TestLedger_RotatesAndKeepsTheChain(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 10, ledger.Options{MaxFile: 2000, Plain: true})
	write(t, dir, 10, ledger.Options{MaxFile: 2000, Plain: true})

	files, _ := filepath.Glob(filepath.Join(dir, "ledger-*.jsonl"))
	if len(files) < 5 {
		t.Fatalf("%d files, want several", len(files))
	}
	for _, f := range files {
		if !strings.Contains(firstLine(t, f), `"format":1`) {
			t.Errorf("the first record of %s has no format", filepath.Base(f))
		}
	}
	if got := len(readAll(t, dir)); got != 20 {
		t.Errorf("%d records, want 20", got)
	}
	if r := verify(t, dir); r.Bad != nil || r.Records != 20 || r.Files != len(files) {
		t.Errorf("Verify = %+v", r)
	}
}

func firstLine(t *testing.T, file string) string {
	t.Helper()
	data := filetest.Read(t, file)
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}

func TestLedger_TimesAreWrittenInUTC(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, ledger.Options{})
	local := time.Date(2026, 7, 1, 12, 0, 0, 5, time.FixedZone("", 7200))
	mustAppend(t, l, ledger.Record{Type: ledger.Outcome, NotBefore: local})
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	if line := firstLine(t, filepath.Join(dir, "ledger-000001.jsonl")); !strings.Contains(line, `"not_before":"2026-07-01T10:00:00.000000005Z"`) {
		t.Error(line)
	}
	if got := readAll(t, dir)[0].Time; got.IsZero() {
		t.Error("Append did not set the time")
	}
}

func TestLedger_ShortensTextsThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, ledger.Options{})
	r := sample(0)
	r.RobotsRule = "Disallow: /" + strings.Repeat("ü", 300_000)
	r.ErrorText = strings.Repeat("\x00", 300_000) // six bytes each as JSON
	mustAppend(t, l, r)
	filetest.Close(t, l)
	got := readAll(t, dir)[0]
	if got.URL != r.URL {
		t.Errorf("URL = %q, want it unharmed", got.URL)
	}
	if !strings.HasPrefix(got.RobotsRule, "Disallow: /üü") || !strings.HasSuffix(got.RobotsRule, "ü…") {
		t.Errorf("RobotsRule is %d bytes, ends in %q", len(got.RobotsRule), got.RobotsRule[len(got.RobotsRule)-8:])
	}
	if n := len(firstLine(t, filepath.Join(dir, "ledger-000001.jsonl"))); n >= ledger.MaxRecord {
		t.Errorf("the line has %d bytes", n)
	}
}

func TestLedger_ReadSelectsByRawLine(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 20, ledger.Options{MaxFile: 3000})
	var got []string
	match := func(line []byte) bool { return strings.Contains(string(line), "/page/1") }
	for r, err := range ledger.Read(dir, ledger.ReadOptions{Match: match}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.URL)
	}
	if len(got) != 11 { // 1, 10 to 19
		t.Errorf("got %d records: %q", len(got), got)
	}
}

// Ensure that records are chosen by what they are, not by what their lines happen to contain, and that a line which is no
// record is skipped or told of as before.
func TestLedger_ReadChooses(t *testing.T) {
	dir := t.TempDir()
	l, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []ledger.Record{
		{Type: ledger.Refusal, URL: "http://a.example/1", Gate: "scope"},
		{Type: ledger.Refusal, URL: "http://a.example/2", Gate: "robots"},
		{Type: ledger.Refusal, URL: "http://a.example/3", Gate: "limit"},
		{Type: ledger.Outcome, URL: "http://a.example/4", Gate: "scope"},
		{Type: ledger.Outcome, URL: "http://a.example/5", Rule: `"type":"refusal","gate":"scope"`},
		{Type: ledger.Request, URL: "http://a.example/6", Purpose: "robots", Origin: "http://a.example"},
		{Type: ledger.Request, URL: "http://b.example/7", Purpose: "robots", Origin: "http://b.example"},
		{Type: ledger.Request, URL: "http://a.example/8", Purpose: "page"},
	} {
		mustAppend(t, l, r)
	}
	filetest.Close(t, l)
	for _, tt := range []struct {
		options ledger.ReadOptions
		want    string // the last octets of the URLs
	}{
		{ledger.ReadOptions{}, "12345678"},
		{ledger.ReadOptions{Purposes: []string{"robots"}}, "67"},
		{ledger.ReadOptions{Purposes: []string{"page", "probe"}}, "8"},
		{ledger.ReadOptions{Origins: []string{"http://b.example", "https://b.example"}}, "7"},
		{ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal}}, "123"},
		{ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal, ledger.Outcome}}, "12345"},
		{ledger.ReadOptions{Types: []ledger.Type{ledger.Rest}}, ""},
		{ledger.ReadOptions{Gates: []string{"scope", "limit"}}, "134"},
		{ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal}, Gates: []string{"scope", "limit"}}, "13"},
		{ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome}, Match: func(line []byte) bool { return strings.Contains(string(line), "/5") }}, "5"},
	} {
		got := ""
		for r, err := range ledger.Read(dir, tt.options) {
			if err != nil {
				t.Fatal(err)
			}
			got += r.URL[len(r.URL)-1:]
		}
		if got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.options, got, tt.want)
		}
	}
}

// Ensure that reading can begin with the files at the end, of which enough are read.
func TestLedger_ReadTail(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 20, ledger.Options{MaxFile: 3000, Plain: true})
	all := readAll(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "ledger-*.jsonl"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var sizes []int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	last := sizes[len(sizes)-1]
	for _, tt := range []struct {
		tail  int64
		files int
	}{{0, len(files)}, {1, 1}, {last, 1}, {last + 1, 2}, {1 << 40, len(files)}} {
		want := 0
		for _, name := range files[len(files)-tt.files:] {
			text := filetest.Read(t, name)
			want += strings.Count(string(text), "\n")
		}
		var got []ledger.Record
		for r, err := range ledger.Read(dir, ledger.ReadOptions{Tail: tt.tail}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r)
		}
		if len(got) != want || got[len(got)-1].URL != all[len(all)-1].URL {
			t.Errorf("tail of %d bytes: %d records, want the last %d", tt.tail, len(got), want)
		}
	}
}

func TestLedger_ReadWhileAppending(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, ledger.Options{Buffer: 1, MaxFile: 5000})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 300 {
			if err := l.Append(sample(i)); err != nil {
				t.Error(err)
			}
		}
	})
	for range 20 {
		readAll(t, dir)
		if r := verify(t, dir); r.Bad != nil {
			t.Fatal(r.Bad)
		}
	}
	wg.Wait()
	if got := len(readAll(t, dir)); got != 300 {
		t.Errorf("%d records, want 300", got)
	}
}

func TestLedger_ConcurrentAppendAndSync(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, ledger.Options{MaxFile: 10_000})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 {
				if err := l.Append(sample(i)); err != nil {
					t.Error(err)
				}
				if i%10 == 0 {
					if err := l.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	filetest.Close(t, l)
	if r := verify(t, dir); r.Bad != nil || r.Records != 400 {
		t.Errorf("Verify = %+v", r)
	}
}

func TestLedger_ReadToleratesAnUnfinishedLastLine(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 3, ledger.Options{})
	filetest.Append(t, filepath.Join(dir, "ledger-000001.jsonl"), `{"seq":4,"prev":"00`)
	if got := len(readAll(t, dir)); got != 3 {
		t.Errorf("%d records, want 3", got)
	}
	if r := verify(t, dir); r.Bad != nil || r.Torn != 19 {
		t.Errorf("Verify = %+v", r)
	}
}

func TestLedger_ReadNamesABadLineAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 1, ledger.Options{})
	file := filepath.Join(dir, "ledger-000001.jsonl")
	filetest.Append(t, file, "no json\n"+strings.Repeat("x", 2*ledger.MaxRecord)+"\n"+`{"seq":2}`+"\n")
	var got []string
	for r, err := range ledger.Read(dir, ledger.ReadOptions{}) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, fmt.Sprint(r.Seq))
	}
	want := []string{
		"1",
		"ledger: ledger-000001.jsonl line 2: not a record",
		"ledger: ledger-000001.jsonl line 3: longer than 65536 bytes",
		"2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var sound []uint64
	for r, err := range ledger.ReadSound(dir, ledger.ReadOptions{}) {
		if err != nil {
			t.Error(err)
		}
		sound = append(sound, r.Seq)
	}
	if !slices.Equal(sound, []uint64{1, 2}) {
		t.Errorf("ReadSound = %v", sound)
	}
}

func TestLedger_NothingThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "absent")
	if got := readAll(t, dir); got != nil {
		t.Errorf("Read = %v", got)
	}
	if r := verify(t, t.TempDir()); r.Bad != nil || r.Records != 0 {
		t.Errorf("Verify = %+v", r)
	}
	l := open(t, dir, ledger.Options{})
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Error(err)
	}
	write(t, dir, 1, ledger.Options{}) // continues an empty ledger
	if r := verify(t, dir); r.Bad != nil || r.Records != 1 {
		t.Errorf("Verify = %+v", r)
	}
}

func TestLedger_Closed(t *testing.T) {
	l := open(t, t.TempDir(), ledger.Options{})
	filetest.Close(t, l)
	if err := l.Close(); err != nil {
		t.Errorf("Close again = %v", err)
	}
	if err := l.Append(ledger.Record{}); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("Append = %v", err)
	}
	if err := l.Sync(); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("Sync = %v", err)
	}
}

func TestLedger_ARecordThatCannotBeEncodedHarmsNothing(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, ledger.Options{})
	if err := l.Append(ledger.Record{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Error("Append took a year of five digits")
	}
	mustAppend(t, l, sample(0))
	filetest.Close(t, l)
	if r := verify(t, dir); r.Bad != nil || r.Records != 1 {
		t.Errorf("Verify = %+v", r)
	}
}

func BenchmarkAppend(b *testing.B) {
	refusal := ledger.Record{
		Type: ledger.Refusal, Time: sample(0).Time, URL: "https://example.org/elsewhere/page/17.html", Site: "example.org",
		Via: "https://example.org/page/16", Depth: 2, Gate: "scope", Reason: "host",
	}
	for name, r := range map[string]ledger.Record{"request": sample(1), "refusal": refusal} {
		b.Run(name, func(b *testing.B) {
			l := open(b, b.TempDir(), ledger.Options{})
			b.ReportAllocs()
			for b.Loop() {
				mustAppend(b, l, r)
			}
		})
	}
}

// Lines goes on behind any record, whatever file that lies in.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	l, err := ledger.Open(dir, ledger.Options{MaxFile: 600})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		mustAppend(t, l, ledger.Record{Type: ledger.Refusal, URL: "http://a.example/"})
	}
	filetest.Close(t, l)
	for after := range uint64(22) {
		var got []string
		for line, err := range ledger.Lines(dir, after) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line))
		}
		want := max(0, 20-int(after))
		if len(got) != want || want > 0 && !strings.HasPrefix(got[0], fmt.Sprintf(`{"seq":%d,`, after+1)) {
			t.Errorf("behind record %d: %d lines, want %d", after, len(got), want)
		}
	}
}

// A ledger that a later version has gone on with is neither gone on with nor cut.
func TestOpen_Newer(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 1, ledger.Options{Plain: true})
	name, head := filepath.Join(dir, "ledger-000001.jsonl"), filepath.Join(dir, "ledger.head")
	sum := func() string {
		data := filetest.Read(t, name)
		return fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSuffix(data, []byte("\n"))))
	}
	replace := func(name, from, to string) {
		data, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(data, []byte(from)) {
			t.Fatalf("%s has no %s: %v", name, from, err)
		}
		filetest.Write(t, name, bytes.ReplaceAll(data, []byte(from), []byte(to)))
	}
	before := sum()
	replace(name, fmt.Sprintf(`"format":%d`, ledger.Format), fmt.Sprintf(`"format":%d`, ledger.Format+1))
	newer := sum()
	replace(head, before, newer)
	if _, err := ledger.Open(dir, ledger.Options{}); !errors.Is(err, ledger.ErrNewer) {
		t.Errorf("Open = %v, want %v", err, ledger.ErrNewer)
	}
	if loss, err := ledger.Cut(dir, noteOf); !errors.Is(err, ledger.ErrNewer) || loss != (ledger.Loss{}) {
		t.Errorf("Cut = %v, %v, want %v", loss, err, ledger.ErrNewer)
	}
	if got := sum(); got != newer {
		t.Error("the file was changed")
	}
}

// Windows removes nothing that is open, and other systems have only so many files.
func TestVerify_ClosesWhatItOpens(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 10, ledger.Options{MaxFile: 2000, Plain: true})
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close them sooner or later
	verify(t, dir)
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err) // what is open is not known
	}
	for _, fd := range open {
		if name, _ := os.Readlink("/proc/self/fd/" + fd.Name()); filepath.Dir(name) == dir {
			t.Errorf("%s is still open", filepath.Base(name))
		}
	}
}
