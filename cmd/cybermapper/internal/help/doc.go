// Package help holds the manual of the command: topics that say how crawling, robots.txt and the files of a job work, beside
// the help of each command, which says what its flags do.
//
// A [Topic] is a Markdown file in the directory topics, embedded in the program, so that the manual always fits the program it
// came with. [Find] returns one by name, [Near] guesses what a misspelt name meant, and [Topic.Print] writes it for a terminal.
//
// # Promises
//
// No printed line is wider than 80 columns, and no terminal is asked for anything: the text is plain. Every command line that a
// topic shows in a block marked sh or console is run by the tests, and has the output that is shown.
//
// # Writing a topic
//
// The first line is "# name: what it is about". Text is at most 78 columns wide, what stands in a block at most 76. Nothing is used
// of Markdown but headings, lists, `code` and fenced blocks, because that reads well before it is rendered, too. A block is marked
//
//	sh              commands, which must succeed
//	console         lines that begin with "$ " are commands; what follows must be in their output, "..." stands for anything, and
//	                "(exit status 1)" is how the command ends
//	go FILE         code that stands in FILE, an example
//	text            everything else: what cannot be run
//	text NAME       a file for the commands that follow
//
// # Design
//
// Topics are not commands, because two of them, robots and audit, have the name of one: "cybermapper help robots" is the topic,
// "cybermapper robots --help" the flags. "go help" does the same.
package help
