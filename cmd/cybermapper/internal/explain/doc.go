// Package explain tells of a URL why it was fetched, when, and why not; and of a site how it stands.
//
// The nouns: an [Explanation] is all that a job knows of a URL: where it was [Found], what each [Gate] said, every [Attempt] with
// the arithmetic of the [Pause] before it, where it was [Stored], and what is next. A [SiteReport] is all that it knows of a site:
// why nothing is asked for now, every [Stop], which robots.txt was obeyed when, each [Stretch] of like pauses, the [Harm] that
// our rate seems to do. [Traps] are the places without end, each [Trap] with the [Pattern] that it shows.
//
// It reads the ledger, the list of pages, the robots.txt files that decisions refer to, and the queue when no process holds
// it. It changes nothing and asks nobody: an explanation is what was written down at the time, not a guess made today.
//
// Limits: a URL is looked for in the files of the ledger, and the parts of the list of pages, that may have it, as their contents
// say (see package ledger): those of a million requests are asked in a fifth of a second. A site is in most files, and these are
// read once for each question: three seconds for a million requests to one site. Memory is bounded: at most a few hundred records
// of a URL are kept, a thousand traps, and of pauses and robots.txt files the first and the last; what is left out is counted. A
// record that is none is passed over, for check tells of it. Harm is a comparison of response times and no proof; below twenty
// answers of each kind it says that it cannot tell.
//
//	v, err := job.Look("cybermapper-job")
//	if err != nil {
//		return err
//	}
//	defer v.Close()
//	e, err := explain.URL(ctx, v, u)
//	if err != nil {
//		return err
//	}
//	e.Print(os.Stdout)
//
// # Design
//
// A URL has few records and they are decoded. A site may have all of them, so its records are read as they stand in the file,
// field by field, which takes a fraction of the time. The contents of ledger and list only leave out what cannot matter: an answer
// is the same without them.
package explain
