// Package robotscmd is the command robots with all of its family, and inspect, which look at one robots.txt or one page for a
// person.
//
// Nouns: a visitor fetches a single page or robots.txt as a crawl would; a view is what a command prints, as text or JSON.
//
// Promises: whatever is fetched is fetched under the rules of robots.txt. Files are changed only by the commands that are asked
// to, and then whole or not at all. What a file says reaches the terminal as text only.
//
// Limits: what a file means, how it is mended, composed or compared is said in package robots and the packages below it. One
// page is read as the crawler reads it, by package crawler; nothing is stored.
package robotscmd
