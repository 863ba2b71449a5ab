package checkpoint

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A Checkpoint is what is known of a ledger when it had so many lines.
type Checkpoint struct {
	Origin string // of the log: the name of the key, and the first ledger line's hash
	Size   int64
	Root   tlog.Hash

	Note []byte // as signed; nil when it is not
}

// text returns the body of the note (C2SP tlog-checkpoint).
func (c Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// Short returns what fits into a User-Agent: the size and the beginning of the root.
func (c Checkpoint) Short() string { return fmt.Sprintf("%d@%x", c.Size, c.Root[:8]) }

// Text returns the note, or what there is to be signed.
func (c Checkpoint) Text() []byte {
	if len(c.Note) > 0 {
		return c.Note
	}
	return []byte(c.text() + "\n")
}

// Signed reports whether somebody has signed c, whoever that is.
func (c Checkpoint) Signed() bool { return bytes.Contains(c.Note, []byte("\n\n— ")) }

// Sign returns c with its note.
func (c Checkpoint) Sign(k *Key) (Checkpoint, error) {
	msg, err := note.Sign(&note.Note{Text: c.text()}, k.signer)
	if err != nil {
		return c, fmt.Errorf("checkpoint: sign: %w", err)
	}
	c.Note = msg
	return c, nil
}

// Verify checks that the holder of a key signed c. The key is in the form of [Key.Verifier].
func (c Checkpoint) Verify(verifier string) error {
	v, err := note.NewVerifier(verifier)
	if err != nil {
		return fmt.Errorf("checkpoint: read key: %w", err)
	}
	n, err := note.Open(c.Note, note.VerifierList(v))
	if err != nil {
		return fmt.Errorf("checkpoint: verify: %w", err)
	}
	if n.Text != c.text() {
		return errors.New("checkpoint: verify: the signature is of another checkpoint")
	}
	return nil
}

// Parse reads the checkpoints of a text: notes, one behind the other. Signatures are not checked.
func Parse(data []byte) (all []Checkpoint, err error) {
	lines := strings.SplitAfter(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))), "\n")
	for i := 0; i < len(lines); {
		if strings.TrimSpace(lines[i]) == "" {
			i++
			continue
		}
		start := i
		for i < len(lines) && strings.TrimSpace(lines[i]) != "" {
			i++
		}
		body := lines[start:i]
		i++
		for i < len(lines) && strings.HasPrefix(lines[i], "— ") {
			i++
		}
		c, err := parseBody(body)
		if err != nil {
			return nil, err
		}
		c.Note = []byte(strings.Join(lines[start:min(i, len(lines))], ""))
		all = append(all, c)
	}
	return all, nil
}

func parseBody(lines []string) (c Checkpoint, err error) {
	if len(lines) < 3 {
		return c, errors.New("checkpoint: a note needs an origin, a size and a root")
	}
	c.Origin = strings.TrimSuffix(lines[0], "\n")
	if c.Size, err = strconv.ParseInt(strings.TrimSuffix(lines[1], "\n"), 10, 64); err != nil || c.Size < 0 {
		return c, fmt.Errorf("checkpoint: %q is no size", strings.TrimSpace(lines[1]))
	}
	root, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(lines[2], "\n"))
	if err != nil || len(root) != len(c.Root) {
		return c, fmt.Errorf("checkpoint: %q is no root", strings.TrimSpace(lines[2]))
	}
	copy(c.Root[:], root)
	return c, nil
}
