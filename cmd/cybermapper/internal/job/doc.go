// Package job keeps job directories: everything that a crawl needs to go on, and all that it leaves behind.
//
// The nouns: a [Job] is a directory that this process holds, so that no other works on it at the same time. A [View] looks at a
// directory without changing it, also while another process works on it. A [Kind] keeps the directory of a demo apart
// from one that somebody cares for.
//
//	job.yaml      the configuration in force; its first line makes the directory a job
//	LOCK          held while a process works on the job, and shared by those that look at one that rests
//	seeds.txt     every seed ever given, one per line
//	reach.json    how far the crawl may go    optout.txt    who is left alone
//	status.json   how the crawl stands        report.json   how it ended
//	report.html   the same and more, to look at
//	frontier/     the queue                   robots/       every robots.txt ever seen, by digest
//	ledger/       the journal                 pages/        what was fetched
//
// Promises: nothing is ever deleted in a directory that is not a job of the kind asked for, nor in a job what does not belong to
// it. Files are replaced as a whole: whoever reads one sees the old or the new content. After a crash at any moment the
// directory is still a job, or still none.
//
// Limits: the lock is the operating system's; on network file systems it is as good as theirs.
//
//	j, err := job.Open("cybermapper-job", job.Crawl)
//	if err != nil {
//		return err
//	}
//	defer j.Close()
//	err = j.WriteConfig(yaml)
//
// # Design
//
// A directory is a job because of a line in a file, not because of its name or of what else lies in it: that line is written by
// us, after the lock is held, and is the last thing that starting over deletes.
package job
