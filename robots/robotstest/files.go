package robotstest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// A File is a robots.txt file.
type File struct {
	ID   string
	Body []byte
}

// RealVariable names the environment variable that says where files of real sites lie: JSON lines with a field "robots" or
// "robots_b64".
const RealVariable = "ROBOTS_REAL"

// Real returns the files of real sites, where they lie: they are other people's text and not part of the repository. All of
// them are read if RealVariable names the file that holds them, otherwise every tenth of those beside the repository; if there
// are none, the test is skipped.
func Real(tb testing.TB) (files []File) {
	tb.Helper()
	name, step := os.Getenv(RealVariable), 1
	if name == "" {
		name, step = beside(), 10
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("no files of real sites: %v (set %s)", err, RealVariable)
	}
	for i, f := range Read(tb, name) {
		if i%step == 0 {
			files = append(files, f)
		}
	}
	return files
}

// Read returns the files in a file of JSON lines with a field "robots" or "robots_b64".
func Read(tb testing.TB, name string) (files []File) {
	tb.Helper()
	in, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var site struct {
			ID, Robots string
			Base64     []byte `json:"robots_b64"`
		}
		if err := json.Unmarshal(lines.Bytes(), &site); err != nil {
			tb.Fatal(err)
		}
		files = append(files, File{site.ID, append(site.Base64, site.Robots...)})
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return files
}

// beside returns where real files lie beside a checkout of the repository.
func beside() string {
	up := ".."
	for range 6 {
		name := filepath.Join(up, "shared", "cases", "robots_real.jsonl")
		if _, err := os.Stat(name); err == nil {
			return name
		}
		up = filepath.Join(up, "..")
	}
	return "robots_real.jsonl"
}

// GenerateVariable names the environment variable that says how many files Generated makes.
const GenerateVariable = "JUDGE_FILES"

// Generated returns files made by Generate, 60 or as many as GenerateVariable says; others for another seed.
func Generated(seed1, seed2 uint64) (files []File) {
	n := 60
	if s := os.Getenv(GenerateVariable); s != "" {
		n, _ = strconv.Atoi(s)
	}
	r := rand.New(rand.NewPCG(seed1, seed2))
	for i := range n {
		files = append(files, File{fmt.Sprintf("generated %d", i), Generate(r)})
	}
	return files
}

// Generate makes a file. One in three is right, one slightly damaged, one badly.
func Generate(r *rand.Rand) []byte {
	g := generator{r, r.IntN(3)}
	var b strings.Builder
	end := pick(r, "\n", "\n", "\n", "\r\n", "\r")
	for range 1 + r.IntN(4) {
		for range 1 + r.IntN(3) {
			b.WriteString(g.agent() + end)
			g.gap(&b, end)
		}
		for range r.IntN(6) {
			b.WriteString(g.line() + g.comment() + end)
			g.gap(&b, end)
		}
		if r.IntN(3) > 0 {
			b.WriteString(end)
		}
	}
	text := b.String()
	if g.damage == 2 && r.IntN(4) == 0 {
		text = strings.ReplaceAll(text, end+end, end) + g.line() // the file ends without a line end
	}
	if g.damage == 2 && r.IntN(12) == 0 {
		return utf16Of(pick(r, "", "\ufeff")+text, r.IntN(2) == 0)
	}
	if g.damage > 0 && r.IntN(12) == 0 {
		text = pick(r, "\ufeff", "\ufeff\ufeff", "\xef\xbb") + text
	}
	return []byte(text)
}

// Change returns a file in which a line or two are other than in body.
func Change(r *rand.Rand, body []byte) []byte {
	lines := strings.SplitAfter(string(body), "\n")
	g := generator{r, r.IntN(3)}
	for range 1 + r.IntN(2) {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		switch r.IntN(8) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i], lines[j] = lines[j], lines[i]
		case 2:
			lines[i] += lines[j]
		case 3:
			lines[i] = g.line() + "\n"
		case 4:
			lines[i] = g.agent() + "\n"
		case 5:
			lines[i] += "\n"
		case 6:
			lines[i] = strings.Replace(lines[i], "Disallow", "Allow", 1)
		case 7:
			lines[i] = strings.TrimRight(lines[i], "\r\n/abcx*$") + "\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func utf16Of(text string, big bool) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	body := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		body = order.AppendUint16(body, unit)
	}
	return body
}
