// Package lint tells the owner of a site what is wrong with a robots.txt file, what robots make of it, and how to mend it.
//
// # Nouns
//
// [File] reads a file and returns a [Report]. A [Finding] is one thing to know about the file; its [Code] says what kind
// of thing, and never changes its meaning; [Codes] lists and explains them all. [Fix] mends what can be mended without
// asking the owner.
//
// # Promises
//
//   - File and Fix take any bytes, and the same bytes give the same answer.
//   - A finding that speaks of verdicts was proved: the path that it names gets those verdicts from package robots.
//   - Fix keeps every comment and everything that is right, is idempotent, and does no harm in any reading: those of package
//     robots (Cautious, RFC9309, Std1994) and that of Google's parser. Whatever was forbidden to any robot stays forbidden; what
//     gets forbidden was meant to be, by the line and for the robots that it speaks to; no front page is closed and no pause
//     made shorter. All other repairs are left to the owner.
//   - A finding that is marked fixable is gone after Fix.
//
// # Limits
//
// A report holds up to [Options].MaxPerCode findings of a code and counts the rest. The checks that compare verdicts look
// at up to [MaxClasses] groups of robots that are treated alike, and at up to [MaxSamples] paths for each. Fix leaves files
// alone that are longer than robots.MaxBytes or name more than [MaxNames] robots, and those whose rules, counted for each robot,
// are too many to prove anything of.
//
// # Design
//
// Findings come from two sources: single lines, as package robots reads them, and verdicts, by asking package robots the
// same question in two dialects. There is no third parser that could disagree. Google's reading is had by rewriting the
// file the way Google's parser reads it, and reading the result by RFC 9309.
//
// Fix proposes line by line and then proves: the rules of every robot before and after are compared as sets, which is
// enough, since a longer list of what is forbidden and a shorter one of what is allowed cannot open anything. A rule that fails
// the proof has a line, and the repair of that line is withdrawn, or of the User-agent line above; then all is proved anew.
//
// Names of robots, and what they keep to, are those of package roster.
package lint
