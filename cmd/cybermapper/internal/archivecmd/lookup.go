package archivecmd

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// errOtherIndex says that an index is not that of its file.
var errOtherIndex = errors.New("the index says otherwise than the file")

// indexOf returns the name of the index that a crawl has written for a file of its archive.
func indexOf(file string) string {
	archive, name := filepath.Split(file)
	return filepath.Join(archive, "..", job.IndexesDir, name+warc.IndexSuffix)
}

// lookup calls visit for the records that have a key, by the indexes of all files. It fails if one of them has none, or another.
func lookup(ctx context.Context, files []string, key string, visit func(*warc.Record) error) error {
	for _, name := range files {
		if err := lookupIn(ctx, name, key, visit); err != nil {
			return err
		}
	}
	return nil
}

func lookupIn(ctx context.Context, file, key string, visit func(*warc.Record) error) error {
	var r *warc.Reader
	for capture, err := range warc.Lookup(indexOf(file), key) {
		if err != nil {
			return err
		}
		if r == nil {
			if r, err = warc.OpenFile(file); err != nil {
				return err
			}
			defer r.Close()
			r.Until(ctx)
		}
		r.GoTo(capture.Offset)
		rec, err := r.Next()
		if err != nil {
			return err
		}
		if rec.Offset != capture.Offset || rec.URI() != capture.URL {
			return errOtherIndex
		}
		if err := visit(rec); err != nil {
			return err
		}
	}
	return nil
}
