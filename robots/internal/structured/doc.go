// Package structured reads structured field values for HTTP (RFC 9651): Content-Usage is one, and the fields of signatures are. The
// sections that comments name are those of the RFC.
//
// Any text is accepted, in time that grows with its length, up to [MaxField]. What is no structured field is refused as a whole, as
// the RFC wants it. Escapes of display strings are not looked at.
package structured
