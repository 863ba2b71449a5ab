package checkpoint

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Problem says why a ledger does not continue a checkpoint.
type Problem struct {
	Checkpoint Checkpoint
	What       string
}

// Check holds the ledger in dir against checkpoints that were kept, by one reading of it, and returns those that it does not
// continue. Signatures are not looked at.
func Check(dir string, kept []Checkpoint) (problems []Problem, err error) {
	kept = slices.Clone(kept)
	slices.SortStableFunc(kept, func(a, b Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	var t Tree
	for _, c := range kept {
		if err := t.Follow(dir, c.Size); err != nil {
			return nil, fmt.Errorf("checkpoint: read the ledger: %w", err)
		}
		switch {
		case c.Size == 0:
		case t.Size() < c.Size:
			problems = append(problems, Problem{c, fmt.Sprintf("had %d records then; now it has %d", c.Size, t.Size())})
		case t.Root() != c.Root:
			problems = append(problems, Problem{c, fmt.Sprintf("is not what it was: records 1 to %d were rewritten", c.Size)})
		}
	}
	return problems, nil
}

// A Head is what somebody noted of a ledger: the SHA-256 of its last line then, or the size and the beginning of the root, as
// [Checkpoint.Short] writes it.
type Head struct {
	Sum  string // of a line; empty in the other case
	Size int64
	Root string // hexadecimal, its beginning
}

// ParseHead reads a head.
func ParseHead(text string) (h Head, err error) {
	bad := fmt.Errorf("checkpoint: %q is neither a SHA-256 in hexadecimal nor SIZE@ROOT", text)
	size, root, short := strings.Cut(text, "@")
	if !short {
		if sum, err := hex.DecodeString(text); err != nil || len(sum) != 32 {
			return h, bad
		}
		return Head{Sum: strings.ToLower(text)}, nil
	}
	h.Root = strings.ToLower(root)
	if h.Size, err = strconv.ParseInt(size, 10, 64); err != nil || h.Size < 1 || len(root) < 8 ||
		strings.Trim(h.Root, "0123456789abcdef") != "" {
		return h, bad
	}
	return h, nil
}
