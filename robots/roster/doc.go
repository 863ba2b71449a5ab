// Package roster reads and writes what is known of robots: their names, owners and habits, as the administrators of sites pass
// it on.
//
// # Nouns
//
// A [Record] is what is known of one robot, a list of [Field]. [Parse] reads records from a file, with a [Problem] for each line
// that it could not read, and [Format] writes them. [Bundled] returns the records that come with this package. A [List] finds a
// record by product token. A [Sighting] is what a log tells of a robot, and [Note] writes it into records. A
// [Register] is a robots.txt as robots hear it that obey the name of another one where it does not name them.
//
// # Format
//
// The format is that of the Web Robots Database of the 1990s: lines of the form "field: value", and a blank line between
// records. A line that begins with a blank goes on with the value of the line before. Lists in a value are separated by commas.
// A line that begins with # is a comment; the old database has none.
//
// Of the fields of the database these are used, and all others are kept:
//
//	robot-id                   the product token in lower case, by which the record is found; every record must have one
//	robot-name                 the name as it is written
//	robot-exclusion-useragent  further product tokens
//	robot-owner-name           who runs it
//	robot-owner-email          the address to write to
//	robot-owner-url            the page of the owner
//	robot-details-url          the page about the robot
//	robot-purpose              indexing, maintenance, statistics; also training, answers, archiving, advertising, preview
//	robot-host                 from which hosts it comes: names, or *.example.com for all below a domain
//	robot-useragent            the User-Agent that it sends
//	robot-exclusion            yes, if its maker says that it keeps to robots.txt; no, if the maker says that it does not
//	robot-exclusion-url        the page on which its maker says so
//	robot-status               retired, if nobody answers to the name any more
//
// and these are ours:
//
//	robot-class                user-triggered, if it acts for a person who waits for the page; feed-reader, monitor, certificate,
//	                           preview, tool; otherwise robot
//	robot-exclusion-fallback   names in robots.txt that it obeys where its own does not stand
//	robot-exclusion-all        ignored, if groups for all robots do not speak to it, as its maker says
//	robot-crawl-delay          ignored, if its maker says so; or window, if to it the value is the length of windows of time, each
//	                           of which has one page
//	robot-ranges-url           where its maker publishes the addresses from which it comes
//	robot-signature-keys-url   where its maker publishes the keys with which it signs requests
//	robot-notes                what else others should know
//	robot-first-seen           when it was first in the log that the record was made from
//	robot-last-seen            and last
//	robot-seen-at              addresses that it came from
//	robot-seen-asking          whether it asked for robots.txt: first, later, never
//
// # Promises
//
//   - Parse takes any bytes. The records that it returns are read back unchanged from what Format writes of them.
//   - Format and Note lose nothing but blanks: unknown fields and comments stay, in their order.
//
// # Limits
//
// A value is read up to [MaxValue]. The caller bounds the size of a file.
//
// # Example
//
//	records, problems := roster.Parse(data)
//	list := roster.NewList(roster.Bundled(), records)
//	fmt.Println(list.Find("Googlebot").Owner())
//
// # Design
//
// A record is a list of fields rather than a struct: what others have written must survive, and a new field must not need a new
// version. Comments are fields too, named #, so that they keep their place. The format is that of the database because its
// records can be read by anybody, compared line by line, and mailed.
package roster
