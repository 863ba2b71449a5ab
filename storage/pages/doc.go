// Package pages keeps fetched pages as files that a person can browse, and a list of them that a program can read.
//
// A [Store] is a directory:
//
//	pages.jsonl              one Line of JSON per page, in the order of storing
//	example.org/             the pages of https://example.org
//	example.org/docs/intro.html
//	example.org/docs/~index.html
//	example.org~80/          the pages of http://example.org
//	.store/                  of the package itself: index, contents, temporary files, lock
//
// [FileName] says where the page of a URL lies. [Open] continues a store, [Store.Put] adds a page, [Store.Sync] brings all of
// them to stable storage, [Store.Remove] takes some out. [Read] iterates over the lines, [ReadURL] over those of one URL, [Check]
// compares lines and files.
//
// # Promises
//
//   - A line is written when its file is whole, by one write, and never changed. A file with a line is never changed either: when
//     the page of a URL has changed, the new version is another file (NAME~again-HASH.html) with another line.
//   - A body is stored once, under as many names as there are pages with it: hard links, so that links between pages work in the
//     tree. The line of a later page names the file of the first (same_as). Where a file system has no links, and in the rare case
//     that a file has too many, the later file is a copy.
//   - Of what is removed no line is left and no file; only same_as of a page that had the same body still names its file. A removal
//     that a crash has cut short is finished by the next Open.
//   - Storing a page again changes nothing if nothing but the time has changed.
//   - What Put has returned for survives the death of the process; what Sync has returned for survives a power failure.
//   - After a crash the next Open repairs what was under way: no half line, no file without a line. [Store.Recovery] tells.
//   - Nothing is written outside of the directory: a symbolic link that leads out of it is an error, or is replaced if it is in the
//     place of a page. Files and folders have the permissions that the umask leaves.
//   - Memory does not grow with the number of pages.
//
// # Limits
//
// One process at a time; the second gets [ErrInUse]. Long texts in a line are shortened to 4 KiB and end in "…". On
// Windows directories cannot be synced, so that after a power failure a synced page may lack its name.
//
// # Example
//
//	s, err := pages.Open(dir, pages.Options{})
//	...
//	err = s.Put(ctx, &storage.Page{URL: u, FinalURL: u, Fetched: time.Now(), Status: 200, Type: "text/html", Body: body})
//	...
//	err = s.Sync()
//
// # Design
//
// The list is the truth: the index in .store, which knows files by digest and by URL, can be deleted and is built again from the
// list. It is a Pebble database without a log that remembers up to where it has read the list; after a crash, Open lets it
// read the rest.
//
// The contents in .store follow from the list as well. They say of each mebibyte of it which URLs are not there, so that who looks
// for one need not read all; the index is no help, as the process that stores pages holds it.
//
// A file is created in its place, under its name. Until its line is written a crash would leave a file that nothing refers to,
// perhaps half of it; so each name is noted in an append-only file before, and Open removes the noted names for which no line came.
// To write temporary files in one folder and rename them cost more: a rename locks two folders, and all that is created in one
// folder crowds one part of an ext4 file system. There creating a file looks at all inodes nearby that were freed in the last
// minutes, which took most of the time of a crawl that began after a job had been removed. So the top folder carries the flag
// that parts the folders of hosts (spread_linux.go). Only what takes the place of something else is renamed.
//
// Lines that wait for each other are written by one call: append.go.
//
// On Linux, Sync is one syncfs where that reaches the disk, unless hardly anything has changed: a hundred fsyncs cost a multiple.
// The price is that it waits for what other programs have written to the same file system. On FUSE and most network file systems
// syncfs is no more than a hint, and each file and folder is synced.
package pages
