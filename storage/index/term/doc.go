// Package term makes the terms that a search index holds from text, and from what people ask for.
//
// The nouns: a [Token] is a word as it stands in a text, or a pair of characters where words are not written apart. A term is what
// a token is looked up by: lower case, without its ending, without accents. An [Analyzer] makes terms of a text in a language.
//
// Words are runs of letters and digits, and the names of languages such as C++ and C#. Thai, Lao, Khmer, Burmese, Chinese,
// Japanese and Korean are cut into pairs of characters that overlap, and the last character alone, so that every part of a run is
// found: a run of several as a phrase of pairs, a single character as the beginning of a pair. Characters that only tell where a
// line may be broken part no run. Text is to be [Composed] first, so that one character is one however it is written.
//
// The ending is cut by the Snowball algorithm of the language of the text; a word in another script than that language has is
// taken as English, Russian or Arabic. Accents go last, for the algorithms need them: a word is found with or without.
//
// # Promises
//
// Any bytes are text; what is no UTF-8 parts words. A term has no blank, no control character and at most [MaxTerm] bytes; longer
// words are no tokens. The same text gives the same terms as long as [Version] is the same. Time and memory are linear in the text.
//
//	var a term.Analyzer
//	terms := a.Append(nil, "Die Häuser am Fluss", "de") // "die haus am fluss"
//
// # Design
//
// No list of stop words: a phrase such as "to be or not to be" is found, and words that are everywhere weigh next to nothing by
// themselves. Pairs of characters need no dictionary, find new words, and cost twice the terms.
package term
