// Package preference reads what sites say their pages may be used for: training a model, searching, mining.
//
// A preference is no access control: whether a page may be asked for is decided by Allow and Disallow alone, and nothing here
// can change that. It is recorded with what was fetched, for those who use it later.
//
// # Nouns
//
// A [Capture] is one response with all that came with it. A source reads the [Statement]s that one standard puts there, each
// about one [Use] with one [Value]. [Preferences] are all statements about a capture; Preferences.Value combines them.
//
// The sources, a file each, with the revision that is implemented:
//
//   - usage.go: Content-Usage, as header and in robots.txt (draft-ietf-aipref-attach-05, draft-ietf-aipref-vocab of August
//     2026; work in progress, and these labels and forms will change)
//   - signal.go: Content-Signal in robots.txt (Cloudflare's Content Signals Policy of September 2025)
//   - tdmrep.go: TDM Reservation Protocol, as header, META and /.well-known/tdmrep.json (W3C community group final report)
//   - noai.go: noai and noimageai in META ROBOTS and X-Robots-Tag (custom, no specification)
//
// # Promises
//
//   - The most restrictive wins: of several statements about a use one that disallows decides, whichever source it is from.
//     Where a standard has one carrier overrule another (TDMRep: file, header, page), both are read and the stricter counts.
//   - What is not known stays unknown, and unknown is never yes. A value that cannot be read is recorded as unknown, and what
//     else the same field says with it; a use that nobody speaks of has no value at all.
//   - Whatever the bytes, reading them ends, allocates in proportion to them, and makes at most [MaxStatements] statements.
//
// # Limits
//
// A Content-Usage or Content-Signal is read up to [MaxText] bytes, and a TDM file up to [MaxTDMBytes] and [MaxTDMEntries]
// entries. One that is longer counts as one that cannot be read.
//
// # Example
//
//	p := preference.Read(&preference.Capture{PathQuery: "/a.html", Rules: rules, Header: resp.Header})
//	if p.Value(preference.TrainAI) != preference.Allow {
//		// leave it out of the training set
//	}
//
// # Design
//
// The drafts behind these sources change every few months. So nobody but a source knows its syntax, every source is one file,
// and what is recorded are uses and values of our own, which name their source: a new revision is a new file, and what was
// recorded under the old one keeps its meaning.
package preference
