// Command cybermapper is a web crawler that keeps to the Robots Exclusion Protocol, resumes where it was stopped, and can
// tell of every URL why it was fetched, when, and why not.
//
// This package has a file for each command, named for it; where one is not enough, the others begin with its name. main.go
// starts, root.go lists them all. A family of commands has a package of its own: internal/demo, internal/clustercmd,
// internal/changescmd, internal/archivecmd, internal/exportcmd, internal/audit and internal/robotscmd (robots, and inspect).
// What all commands share, exit codes above all, is in internal/cli; the topics of the manual are in internal/help. Package
// internal/engine is the only one that makes a crawl of concrete types: it joins the crawler with a frontier on disk, a tree of
// pages and a ledger. So a crawl begins in crawl.go, which hands an engine.Session to it, and goes on in package crawler.
//
//	cybermapper demo
//	cybermapper crawl --contact you@example.org https://example.org/
//	cybermapper explain --job cybermapper-job https://example.org/
//	cybermapper report --job cybermapper-job
//
// # Design
//
// A command is a function new<Name>Command, or NewCommand in a package of its own, that declares flags, and a function that
// does the work and returns an error. What a script needs to tell apart is an exit code of internal/cli, never a message.
// Settings exist once, as fields of config.Config: files, environment and flags are three ways to write to the same field, so
// none of them can know a setting that the others do not. Data goes to stdout, everything said about the work to stderr.
package main
