package wacz

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// How much of the index is compressed as one: so many lines, or bytes where they are long.
const (
	blockLines = 3000
	blockBytes = 4 << 20
)

// addIndex adds the index in compressed blocks, and the index to these.
func (p *packer) addIndex() error {
	var second bytes.Buffer
	second.WriteString(`!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` + "\n")
	err := p.add("indexes/index.cdx.gz", func(w io.Writer) error {
		b := blocks{w: w, second: &second}
		err := p.lines.Each(b.line)
		if err == nil {
			err = b.end()
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.add("indexes/index.idx", func(w io.Writer) error {
		_, err := w.Write(second.Bytes())
		return err
	})
}

// blocks writes lines in blocks.
type blocks struct {
	w      io.Writer
	second *bytes.Buffer
	offset int64
	first  []byte // key and time of the first line of the block
	text   bytes.Buffer
	n      int
}

func (b *blocks) line(line []byte) error {
	if b.n == 0 {
		end := bytes.IndexByte(line, '{')
		b.first = append(b.first[:0], bytes.TrimSpace(line[:max(end, 0)])...)
	}
	b.text.Write(line)
	b.text.WriteByte('\n')
	if b.n++; b.n < blockLines && b.text.Len() < blockBytes {
		return nil
	}
	return b.end()
}

// end compresses the block at hand.
func (b *blocks) end() error {
	if b.n == 0 {
		return nil
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(b.text.Bytes()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(packed.Bytes())
	fmt.Fprintf(b.second, "%s {\"offset\":%d,\"length\":%d,\"digest\":\"sha256:%s\",\"filename\":\"index.cdx.gz\"}\n",
		b.first, b.offset, packed.Len(), hex.EncodeToString(sum[:]))
	b.offset += int64(packed.Len())
	b.n = 0
	b.text.Reset()
	_, err := b.w.Write(packed.Bytes())
	return err
}
