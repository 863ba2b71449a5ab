package index

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
)

// What an index holds follows from Options.Memory, whoever made the file, and whoever changed it before.
func TestOptions_Memory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	for _, test := range []struct {
		memory                  int64
		writer, reader, pending int64
	}{
		{0, 16 << 20, 8 << 20, 8 << 20},
		{24 << 20, 4 << 20, 2 << 20, 2 << 20},
		{1, MinMemory / writerPart, MinMemory / readerPart, MinMemory / pendingPart},
		{1 << 40, 16 << 20, 8 << 20, 8 << 20},
	} {
		x, err := Open(path, Options{Memory: test.memory})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []struct {
			query string
			want  int64
		}{
			{`SELECT v FROM fts_config WHERE k = 'hashsize'`, test.pending},
			{`SELECT v FROM heads_config WHERE k = 'hashsize'`, test.pending},
			{`PRAGMA cache_size`, -(test.writer >> 10)},
		} {
			var got string
			if err := x.write.QueryRowContext(t.Context(), q.query).Scan(&got); err != nil || got != strconv.FormatInt(q.want, 10) {
				t.Errorf("Memory %d: %s gives %s (%v), want %d", test.memory, q.query, got, err, q.want)
			}
		}
		var kept int64
		if err := x.read.QueryRowContext(t.Context(), `PRAGMA cache_size`).Scan(&kept); err != nil || kept != -(test.reader>>10) {
			t.Errorf("Memory %d: readers keep %d KiB (%v), want %d", test.memory, -kept, err, test.reader>>10)
		}
		filetest.Close(t, x)
	}
}
