// Package checkpoint makes a ledger a transparency log: whoever kept one earlier checkpoint can tell whether the ledger of today
// continues it.
//
// The nouns: a [Tree] is the Merkle tree of RFC 6962 section 2 over the lines of a ledger as they are written, without their
// newlines. A [Checkpoint] is its size and root; signed with the [Key] of an operator it is a note in the format of C2SP
// tlog-checkpoint. A [Log] signs checkpoints of a ledger that grows; [Publish] brings them out, and [CheckPublished] looks whether
// they are there as they were. A [Row] is a line of a proof that some lines are part of what a checkpoint speaks of; [Summary]
// makes the rows, [Fold] follows them.
//
// # Promises
//
//   - The format of the ledger is not touched; a ledger without checkpoints is one whose tree nobody has signed yet.
//   - A Tree needs memory for some hundred hashes, whatever its size.
//   - A proof can be checked without the rest of the ledger, and without this program: leaf and node hashes are those of RFC 6962.
//
// # Limits
//
// A signature says who signed. It does not keep the signer from signing another story later: that shows only against a checkpoint
// that had left the machine before. Checkpoints by witnesses (C2SP tlog-cosignature) are not asked for.
package checkpoint
