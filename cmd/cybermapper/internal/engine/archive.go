package engine

import (
	"fmt"
	"os"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// openArchive opens the archive of a job, if one is wanted, or one is there that a killed process has left unfinished.
func openArchive(j *job.Job, c config.Config) (*warc.Archive, error) {
	dir := j.Path(job.ArchiveDir)
	_, err := os.Stat(dir)
	if !c.Archive.WARC && err != nil {
		return nil, nil
	}
	host, _ := os.Hostname() // without one, names go without it
	a, err := warc.Open(dir, warc.Options{
		Compression: c.Archive.Compression, MaxFile: int64(c.Archive.File), Noindex: c.Archive.Noindex,
		IndexDir: j.Path(job.IndexesDir), Host: host, Info: warcinfo(c),
	})
	if err != nil || c.Archive.WARC {
		return a, err
	}
	return nil, a.Close()
}

// tellMissing says which files of the archive are gone.
func tellMissing(j *job.Job, log *zap.Logger) error {
	missing, err := warc.Missing(j.Path(job.ArchiveDir), j.Path(job.IndexesDir))
	if err == nil && len(missing) > 0 {
		log.Warn("files of the archive are gone; repair --job asks again for what was in them, or move their indexes away as well",
			zap.Int("files", len(missing)), zap.String("first", missing[0]))
	}
	return err
}

// warcinfo is what the archive says of itself.
func warcinfo(c config.Config) warc.Fields {
	version := cli.ReadBuild().Version
	var f warc.Fields
	f.Add("software", "cybermapper/"+version+" https://github.com/cybermapper/cybermapper")
	f.Add("robots", fmt.Sprintf("obey: robots.txt by RFC 9309 for the product token %s, read in the dialect %s, and META ROBOTS "+
		"and X-Robots-Tag; "+
		"nothing is asked of a site whose robots.txt cannot be had; the verdict for each request is in its metadata record",
		c.Agent.Product, c.Robots.Dialect))
	f.Add("robots-specification", "https://www.rfc-editor.org/rfc/rfc9309")
	if c.Archive.Noindex {
		f.Add("noindex", "pages that ask not to be indexed are kept, as the operator wished")
	} else {
		f.Add("noindex", "pages that ask not to be indexed are left out")
	}
	f.Add("http-header-user-agent", c.Agent.UserAgent(version))
	f.Add("http-header-from", c.Agent.From())
	f.Add("operator", c.Agent.Contact)
	f.Add("description", c.Agent.Purpose)
	return f
}
