// Package translate says what the command says to people in their language: English, Spanish, Russian and Thai.
//
// The English text is the key of a message. Each other language has one file with a table; a test finds what is missing in it, what
// nobody says any more, and placeholders that differ. Names that programs read stay as they are in every language: directives of
// robots.txt, fields of HTTP, commands, reasons, JSON, the ledger.
package translate
