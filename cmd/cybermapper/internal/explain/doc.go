// Package explain tells of one URL why it was fetched, when, and why not.
//
// The nouns: an [Explanation] is all that a job knows of a URL: where it was [Found], what each [Gate] said, every [Attempt] with
// the arithmetic of the [Pause] before it, where it was [Stored], and what is next.
//
// It reads the ledger, the list of pages, the robots.txt files that decisions refer to, and the queue when no process holds
// it. It changes nothing and asks nobody: an explanation is what was written down at the time, not a guess made today.
//
// Limits: the whole ledger is read for one URL. At most a few hundred records of it are kept; the Explanation says how many
// more there are.
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
package explain
