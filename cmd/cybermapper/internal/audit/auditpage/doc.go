// Package auditpage shows the report of an access log as one HTML file.
//
// [Write] writes a [audit.Report]: who visited, whose they are, which rules were kept, with the lines as evidence, and for the
// busiest robots the requests over time, the pauses, and the hours of the week.
//
// # Promises
//
// Those of package htmlreport: the file needs nothing but itself and forbids itself to load anything, what strangers wrote into
// the log is text, and all can be read without JavaScript.
//
// # Limits
//
// The [MaxPlotted] busiest robots get plots; tables have all that the report has.
//
// # Design
//
// The heat map is SVG, made here: squares whose opacity is in an attribute need no style, which the policy of the file forbids, and
// no script.
package auditpage
