package fetch

import (
	"bytes"
	"context"
	"math"
	"net/http"
)

// A BodyDecoder undoes the content codings of bodies that were not fetched by a [Client] but come from an archive. It is safe for
// concurrent use.
type BodyDecoder struct{ client *Client }

// NewBodyDecoder returns a decoder whose results have at most max bytes; 0 means 16 MiB.
func NewBodyDecoder(max int64) *BodyDecoder {
	o := Options{MaxBody: max}.withDefaults()
	o.MaxWire = math.MaxInt64
	return &BodyDecoder{&Client{
		opts: o, chunks: newChunkPool(), decoders: newDecoders(o.Decoders), memory: newMemory(math.MaxInt64/2, 0),
	}}
}

// Decode returns a body without the codings that its header names. What cannot be decoded is returned as it is; truncated says why
// something is missing, in the words of [Response.Truncated]. The error is that of ctx.
func (d *BodyDecoder) Decode(ctx context.Context, h http.Header, encoded []byte) (body []byte, truncated string, err error) {
	codings := contentCodings(h)
	if len(codings) == 0 {
		return encoded, "", nil
	}
	x := &exchange{client: d.client, ctx: ctx, response: &Response{}}
	x.response.share.memory = d.client.memory
	defer x.response.Release()
	wire := x.newBuffer()
	if err := wire.readFrom(ctx, nil, bytes.NewReader(encoded), d.client.opts.MaxWire-1); err != nil {
		return nil, "", err
	}
	body, err = x.decode(ctx, wire, codings)
	return body, x.response.Truncated, err
}
