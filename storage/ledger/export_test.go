package ledger

// Pack is for tests that want a file packed now.
var Pack = pack

// Unfinished is behind the name of a file that is being packed.
const Unfinished = unfinished
