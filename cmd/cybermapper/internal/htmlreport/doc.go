// Package htmlreport makes reports that are one HTML file: it has the shell that they share, and the plots.
//
// A [Template] is the content of a kind of report, in the language of html/template; [Template.Execute] puts it into the shell with
// the style, the script and a title. A [Plot] is drawn where the content says {{template "plot" .}}.
//
// # Promises
//
//   - The file needs nothing but itself, and its Content-Security-Policy forbids it to load anything or to send anything, by the
//     hash of the one style and the one script in it.
//   - Whatever the content is given is escaped by html/template. Links in it can be relative only as far as the content makes
//     them so.
//   - It can be read without JavaScript: each plot is accompanied by a summary and a table of its numbers.
//   - Light or dark as the reader's system is, plots included; no wider than the screen from 320 pixels on. What is wider
//     scrolls by itself, in an element of class scroll.
//
// # What content can use
//
// Functions that make a table cell that sorts by value: num (count), size (bytes), span (milliseconds), share (two counts, a
// percentage). Functions that make text: count, bytes, dur, percent, moment, plural. Templates: plot. Classes: tiles (a dl of
// headline numbers), scroll (around a table), sortable (a table that sorts by a click on a header), num, url, note, good, bad.
//
//	t, err := htmlreport.New(`<h2>Hosts</h2><p>{{count .N}} of them</p>{{template "plot" .Rate}}`, nil)
//	...
//	err = t.Execute(w, "Crawl report", data)
//
// # Design
//
// Plots are drawn by uPlot, which is small, has no dependencies and is embedded here unchanged with its licence (directory uplot; a
// test holds its checksums). The policy goes by hashes and not by nonces, for a file has no server that could make a new nonce
// each time. Styles are never in attributes, which such a policy forbids.
package htmlreport
