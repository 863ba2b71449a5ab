package contents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/internal/contents"
)

func part(n int) contents.Part {
	var keys []contents.Key
	for i := range 100 {
		keys = append(keys, contents.KeyOf('u', fmt.Sprint(n, "/", i%90)))
	}
	return contents.NewPart(fmt.Append(nil, "part ", n), keys)
}

// scan returns the heads of the parts of a file.
func scan(t *testing.T, name string) (heads []string) {
	t.Helper()
	for p, err := range contents.Scan(name) {
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, string(p.Head))
	}
	return heads
}

func TestPart_MayHoldItsKeysOnly(t *testing.T) {
	a, b := part(1), part(2)
	for i := range 90 {
		k := contents.KeyOf('u', fmt.Sprint(1, "/", i))
		if !a.May(k) || !a.May(contents.KeyOf('u', "none"), k) || b.May(k) || a.May(contents.KeyOf('v', fmt.Sprint(1, "/", i))) {
			t.Fatalf("key %d is not in the first part alone", i)
		}
	}
	if a.May() || contents.NewPart(nil, nil).May(contents.KeyOf('u', "")) {
		t.Error("a part holds what it has no key of")
	}
	if !a.Equal(part(1)) || a.Equal(b) {
		t.Error("parts are compared wrongly")
	}
}

func TestTable_GoesOnBehindWhatIsWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "contents")
	if got := scan(t, name); len(got) != 0 {
		t.Fatalf("a file that does not exist has %q", got)
	}
	table := contents.Table{Name: name}
	for n := range 3 {
		if err := table.Append(part(n)); err != nil {
			t.Fatal(err)
		}
	}
	text := filetest.Read(t, name)
	all := fmt.Sprint(scan(t, name))
	if all != "[part 0 part 1 part 2]" {
		t.Fatalf("the table has %s", all)
	}
	for cut := 0; cut < len(text); cut += 11 { // a crash may leave so much of it, or garbage in its place
		for _, damaged := range [][]byte{text[:cut:cut], append(append(text[:cut:cut], text[cut]^0x55), text[cut+1:]...)} {
			filetest.Write(t, name, damaged)
			left := scan(t, name)
			if whole := cut / (len(text) / 3); len(left) != whole {
				t.Fatalf("with damage at %d of %d: %d parts, want %d", cut, len(text), len(left), whole)
			}
			again := contents.Table{Name: name}
			for n := len(left); n < 3; n++ {
				if err := again.Append(part(n)); err != nil {
					t.Fatal(err)
				}
			}
			if mended, err := os.ReadFile(name); err != nil || string(mended) != string(text) {
				t.Fatalf("with damage at %d: the table is not made good (%v)", cut, err)
			}
		}
	}
}

func TestTable_OfOthersIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	for p, err := range contents.Scan(dir) {
		if err == nil {
			t.Errorf("a directory has the part %q", p.Head)
		}
	}
	if err := (&contents.Table{Name: dir}).Append(part(1)); err == nil {
		t.Error("a part was added to a directory")
	}
}
