// Package explain says in plain English what a robots.txt file means: who gets which group, a sentence for each rule, and for
// each product what is closed, what is open, and how fast it may go.
//
// # Nouns
//
// An [Explanation] is a file in words. A [Group] is who keeps to the same rules, a [Sentence] what one rule says, a
// [Product] what one robot is left with.
//
// # Promises
//
// Everything is generated from the file as package robots reads it, so that words and rules cannot part. The sample paths in
// sentences are matched by the rule. Any bytes can be explained.
//
// # Design
//
// The sentences are templates over canonical patterns; nothing is parsed here. A product is explained by asking for verdicts
// in the dialect of the file, so what a leniency adds is explained too.
package explain
