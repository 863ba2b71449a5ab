// Package demo is the command demo: it crawls a small web on loopback with the engine of crawl, tells what happens and why while
// it happens, and compares what the crawler claims with what the servers saw.
//
// Nouns: the sites are those of package demosite, and each has its lessons; the narrator tells the story; the visitor submits
// URLs while the crawl runs; the verdicts judge it.
//
// Promises: it needs no network and leaves a job that all commands can be asked about. What the servers saw that should not have
// happened ends it with an error.
//
// Limits: what the sites are, and what a polite crawler does there, is said in demosite.
package demo
