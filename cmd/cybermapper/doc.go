// Command cybermapper is a web crawler that keeps to the Robots Exclusion Protocol, resumes where it was stopped, and can
// tell of every URL why it was fetched, when, and why not.
//
// This package is the only one that names concrete types: wire.go joins the engine with a frontier on disk, a tree of
// pages and a ledger. One file holds one command; config.go and its neighbours hold the configuration, exit.go what a
// shell script may rely on.
//
//	cybermapper demo
//	cybermapper crawl --contact you@example.org https://example.org/
//	cybermapper explain --job cybermapper-job https://example.org/
//	cybermapper report --job cybermapper-job
//
// # Design
//
// A command is a function new<Name>Command that declares flags and a function that does the work and returns an error;
// what a script needs to tell apart is an exit code in exit.go, never a message. Settings exist once, as fields of Config:
// files, environment and flags are three ways to write to the same field, so none of them can know a setting that the
// others do not. Data goes to stdout, everything said about the work to stderr.
package main
