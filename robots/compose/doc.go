// Package compose writes robots.txt files for site owners: one out of the fragments of many maintainers, one out of a
// policy, a shorter one that says the same; and it says what a change does. It imports robots, roster and the standard library,
// and reads no file but through the fs.FS it is given.
//
// # Nouns
//
// A fragment is a robots.txt for a part of a site; Compose makes one file of them. A Conflict is an Allow and a Disallow of
// two fragments that meet. A Policy says who may visit what; Generate puts it as robots.txt does. Minimize makes a file
// short. Diff compares two files and returns a Difference; a Change is a pair of rules that decide differently.
//
// # Promises
//
//   - Compose: no page is open that a fragment forbids within its own subtree, and without Options.Stricter a page is open
//     exactly if every fragment leaves it open. The same fragments give the same bytes. What is unclear is refused, with
//     file and line.
//   - Minimize: every verdict and every pause stays the same, in all three dialects or those that are asked for, for every
//     robot that a reading of the file takes a name for, and for all others; what some robots read apart (%7E and ~, %2B
//     and %2b) stays. The result is never longer, and minimizing it again changes nothing, unless a bound of the work was
//     met.
//   - Diff: a file does not differ from itself; each change is one, for each robot and path that it names; and what is
//     proved to be the same is the same for every robot on every path.
//   - Generate: what is not in the policy is not in the file, and every path has the verdict that the policy gives it.
//
// # Limits
//
// A file counts up to robots.MaxBytes. Proofs take work in proportion to the rules, counted for each robot, and give up
// beyond a bound: then Minimize leaves the file as it is, and Diff says that it tried only. Diff looks at given paths, or
// at Samples, which are made from the rules; it says when it could prove more than it tried.
//
//	m := compose.Minimize(body, compose.MinimizeOptions{})
//	d := compose.Diff(body, m.Text, compose.DiffOptions{}) // d.Same() and d.Proved
//
// # Design
//
// All proofs rest on three questions about patterns: does one cover the other, is there a path that both match, and which
// of them is longer. From these follows when a rule can go without any verdict changing, and two lists of rules are equal
// when both can be reached from their union in such steps. That is not complete, for a rule may be covered by several
// others together, but never wrong. Minimize therefore works by guess and proof: it writes the file in several ways and
// takes the shortest that is proved equal, so that an error in the writing costs length and never meaning.
//
// Compose could have let the longest rule decide between fragments, as robots do. But then a Disallow in one corner of the
// site could be lifted by a longer Allow that its author has never seen; so this is a conflict, for people to settle.
package compose
