// Package bounded holds maps of bounded size, one for a single owner and one for many, for what is remembered as long as there is
// room: links seen, questions asked, texts met. What matters must not be kept in them, for the oldest half is forgotten when a map
// is full.
//
// Design: two maps, young and old. A write goes to the young one; when that holds half of what is allowed it becomes the old one,
// which is dropped whole. So no entry has a time or a list, and forgetting costs nothing. The maps are tables of their own, with
// open addressing, as those of package hashset: an entry takes what key and value take, and a third more. Of the built-in map it is
// twice as much and more, and a crawl has hundreds of thousands of entries.
package bounded
