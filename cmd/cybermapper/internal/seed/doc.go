// Package seed reads and writes URLs that an operator gives to a crawl, with what is known of where they are from.
//
// A list has one seed a line: a URL as it is, or a JSON object such as
//
//	{"url": "https://example.org/", "depth": 3, "priority": 10, "note": "from the list of servers, May 1994"}
//
// Both may stand in one file, with empty lines and lines that begin with # between them; a # after a URL and a blank begins a
// comment, too. A line that is neither is reported with its number and skipped; so is an object with a key that is not known, for a
// misspelt key would be a wish that nobody keeps. Memory holds one line of at most [MaxLine] bytes besides the seeds.
//
// # Design
//
// A seed with attributes is an object and not a line with columns, so that a note can hold anything; one without stays a plain URL,
// which every other tool can read.
package seed
