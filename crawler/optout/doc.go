// Package optout knows which hosts, domains and addresses a crawl must leave alone because their owners asked its operator.
//
// Such a request comes by mail, and holds at once, whatever robots.txt says. A [List] is what was asked for; a [Watcher]
// holds the list of a file and reads it again when it changes.
//
// # The file
//
// One entry a line; empty lines are skipped, and what follows a # is a comment.
//
//	example.org          # this host and no other: www.example.org is another
//	*.example.org        # example.org and every host below it
//	192.0.2.7            # a host with this address, whatever its name
//	2001:db8::/32        # and with any address of a range
//
// Ports are not told apart. A line that is none of these is bad: it is reported with its number.
//
// # Promises
//
//   - What is in the file holds from the moment it is read, which is at most Options.Every after it was written.
//   - Nothing is lifted by accident. An entry ends only when the file, read twice without a change between and with
//     no bad line, does not have it, and its last line ends. While the file is missing, unreadable, empty, too large, cut short or
//     has a bad line, every entry stays in force, and the good lines are in force besides.
//   - Nothing here waits for the network, and no goroutine is started: Watch runs in the one that calls it.
//
// # Limits
//
// A file has at most [MaxSize] bytes. A lookup takes a map access for each label of a name, or for each length of prefix that
// the list has.
//
// # Example
//
//	w, err := optout.Open(optout.Options{File: "opt-out.txt"})
//	...
//	if entry, out := w.Host("www.example.org"); out {
//		log.Printf("%s asked us to stay away", entry)
//	}
//
// # Design
//
// Editors write files in two steps, and a file that is empty for a moment must not send anybody to a host that wants to be
// left alone: hence the second look before anything is lifted. The crawl asks the Watcher before every request, so a List is
// never changed but replaced.
package optout
