package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// damagedArchive is where repair puts files of the archive that are damaged, and the indexes of those that are gone.
const damagedArchive = job.ArchiveDir + ".damaged"

// What is wrong with a file of the archive.
const (
	fileGone    = "gone"
	fileDamaged = "damaged"
	indexWrong  = "index"
)

// An archiveSurvey is what the archive of a job still has.
type archiveSurvey struct {
	wrong map[string]string         // by the name of the file, what is wrong with it
	sound map[string]map[int64]bool // where the sound records of a damaged file begin
	lost  map[string]int            // by URL of which no capture after it is whole, the status that it had
}

// surveyArchive finds out which captures of the archive are lost, also those that refer to one which is. It changes nothing, but
// that it finishes what a killed process has left.
func (r *repairer) surveyArchive(ctx context.Context) (*archiveSurvey, error) {
	if err := r.reopenArchive(); err != nil {
		return nil, err
	}
	s := &archiveSurvey{wrong: map[string]string{}, sound: map[string]map[int64]bool{}, lost: map[string]int{}}
	dir, indexes := r.job.Path(job.ArchiveDir), r.job.Path(job.IndexesDir)
	files, err := warc.Files(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	missing, err := warc.Missing(dir, indexes)
	if err != nil {
		return nil, err
	}
	for _, name := range missing {
		s.wrong[name] = fileGone
	}
	for _, name := range files {
		file, index, sound := filepath.Join(dir, name), filepath.Join(indexes, name+warc.IndexSuffix), map[int64]bool{}
		found, err := warc.EachSound(ctx, file, index, func(begin, _ int64) error {
			sound[begin] = true
			return nil
		})
		if err != nil {
			return nil, err
		}
		if found.Problems > 0 {
			s.wrong[name], s.sound[name] = fileDamaged, sound
			continue
		}
		differs, err := warc.CheckIndex(ctx, file, index)
		if err != nil {
			return nil, err
		}
		if differs != "" {
			s.wrong[name] = indexWrong
		}
	}
	return s, s.findLost(ctx, dir, indexes, append(files, missing...))
}

// reopenArchive finishes what is left unfinished in the archive.
func (r *repairer) reopenArchive() error {
	a, err := openArchive(r.job, r.config)
	return errors.Join(err, a.Close())
}

// findLost goes through all captures, if anything is wrong.
func (s *archiveSurvey) findLost(ctx context.Context, dir, indexes string, files []string) error {
	if len(s.wrong) == 0 {
		return nil
	}
	slices.Sort(files) // by time
	each := func(visit func(c *warc.Capture, isWhole bool)) error {
		for _, name := range files {
			captures := warc.ReadIndex(filepath.Join(indexes, name+warc.IndexSuffix))
			if s.wrong[name] == indexWrong {
				captures = warc.Captures(ctx, filepath.Join(dir, name))
			}
			for c, err := range captures {
				switch {
				case errors.Is(err, warc.ErrNoCapture):
					continue
				case errors.Is(err, fs.ErrNotExist): // of a damaged file
				case cmp.Or(err, ctx.Err()) != nil:
					return cmp.Or(err, ctx.Err())
				default:
					visit(&c, s.wrong[name] != fileGone && (s.wrong[name] != fileDamaged || s.sound[name][c.Offset]))
				}
			}
		}
		return nil
	}
	payloads := map[string]bool{} // digests of lost ones
	for _, isWhole := range []bool{false, true} {
		err := each(func(c *warc.Capture, is bool) {
			switch {
			case is != isWhole || c.Type == warc.RevisitType:
			case is:
				delete(payloads, c.Digest)
			default:
				payloads[c.Digest] = true
			}
		})
		if err != nil {
			return err
		}
	}
	return each(func(c *warc.Capture, isWhole bool) {
		if isWhole && c.Type == warc.RevisitType {
			isWhole = !payloads[c.Digest]
		}
		if isWhole {
			delete(s.lost, c.URL)
		} else {
			s.lost[c.URL] = c.Status
		}
	})
}

// loseCaptures has asked for again what the archive has lost of what the queue calls done.
func (r *repairer) loseCaptures(ctx context.Context) error {
	for url, status := range r.archive.lost {
		u, err := frontier.ParseURL(url)
		if _, isLost := r.lost[url]; err != nil || isLost || status >= http.StatusBadRequest {
			continue
		}
		info, err := r.stores.frontier.Lookup(ctx, u)
		if err != nil {
			return err
		}
		if info.Status != frontier.Done {
			continue
		}
		l := loss{depth: info.Depth}
		if info.Return != nil {
			l.state = crawler.Unarchived(info.Return.State)
		}
		r.lost[url] = l
	}
	return nil
}

// mendArchive puts damaged files, and the indexes of those that are gone, aside, keeps what is whole of them, and writes the
// indexes that are missing. It comes last: what is lost is known from these files only.
func (r *repairer) mendArchive(ctx context.Context) error {
	if len(r.archive.wrong) == 0 {
		return nil
	}
	dir, indexes, aside := r.job.Path(job.ArchiveDir), r.job.Path(job.IndexesDir), r.job.Path(damagedArchive)
	for name, wrong := range r.archive.wrong {
		file, index := filepath.Join(dir, name), filepath.Join(indexes, name+warc.IndexSuffix)
		var err error
		switch wrong {
		case indexWrong:
			r.done.ArchiveIndexes++
			err = warc.WriteIndex(ctx, file, index)
		case fileGone:
			r.done.ArchiveGone++
			err = putBeside(aside, index)
		case fileDamaged:
			r.done.ArchiveDamaged++
			err = keepWhole(ctx, file, index, aside)
		}
		if err != nil {
			return fmt.Errorf("mend %s: %w", file, err)
		}
	}
	return nil
}

// keepWhole puts a damaged file aside, and what is whole of it in its place, to get its index.
func keepWhole(ctx context.Context, file, index, aside string) error {
	whole := file + ".whole"
	if err := os.Remove(whole); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a repair that was killed
		return err
	}
	n, err := warc.Salvage(ctx, file, index, whole)
	if err != nil {
		return err
	}
	if err := errors.Join(putBeside(aside, file), putBeside(aside, index)); err != nil {
		return err
	}
	if n == 0 {
		return os.Remove(whole)
	}
	if err := os.Rename(whole, file); err != nil {
		return err
	}
	return warc.WriteIndex(ctx, file, index)
}

// putBeside moves a file, if there is one, to the directory aside.
func putBeside(aside, name string) error {
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return err
	}
	if err := move(name, filepath.Join(aside, filepath.Base(name))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
