package fetch

import (
	"context"
	"errors"
	"io"
)

// ratioFloor is how many bytes a body may decode to whatever the ratio.
const ratioFloor = 1 << 20

// receive reads the body as sent, which is said to have so many bytes. How it ended is noted in the response; the error is that of
// the caller's context.
func (x *exchange) receive(body io.Reader, length int64, encoded bool) (*buffer, error) {
	b, limit := x.newBuffer(), x.bodyLimit()
	if encoded {
		limit = x.client.opts.MaxWire
	} else if err := b.expect(x.ctx, x.watch, min(length, limit)); err != nil {
		return b, err
	}
	return b, x.noteCut(b.readFrom(x.ctx, x.watch, body, limit))
}

// noteCut notes in the response why a body ended with err before it was whole. It returns an error where that is the caller's
// doing.
func (x *exchange) noteCut(err error) error {
	switch cause := context.Cause(x.ctx); {
	case err == nil:
	case errors.Is(err, errOverLimit):
		x.response.Truncated = CutLength
	case errors.Is(cause, errBodyTimeout):
		x.response.Truncated = CutTime
	case errors.Is(cause, errTooSlow):
		x.response.Truncated = CutRate
	case cause != nil:
		return cause
	default:
		x.response.Truncated = CutDisconnect
	}
	return nil
}

func (x *exchange) newBuffer() *buffer {
	return &buffer{pool: x.client.chunks, bodies: x.client.bodies, share: &x.response.share}
}

func (x *exchange) bodyLimit() int64 {
	if n := x.request.MaxBody; n > 0 {
		return min(n, x.client.opts.MaxBody)
	}
	return x.client.opts.MaxBody
}

// decode returns the body without its codings. It begins when all of the body has arrived: then no decoder waits for the
// network with its window in memory, and the connection is free for the next request. The error is that of ctx.
func (x *exchange) decode(ctx context.Context, wire *buffer, codings []string) ([]byte, error) {
	if len(codings) == 0 || wire.size == 0 {
		return wire.bytes(ctx)
	}
	raw, err := wire.contiguous(ctx)
	if err != nil {
		return nil, err
	}
	limit, reason := x.bodyLimit(), CutLength
	if n := max(ratioFloor, int64(len(raw))*x.client.opts.MaxRatio); n < limit {
		limit, reason = n, CutRatio
	}
	out, err := x.decodeWithin(ctx, raw, codings, limit)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r := x.response
	switch {
	case err == nil:
	case errors.Is(err, errOverLimit):
		r.Truncated = reason
	case looksPlain(raw):
		return wire.bytes(ctx) // wrongly labelled
	case r.Truncated == "":
		r.Truncated = CutDecode
	}
	if out.size == 0 && err != nil {
		return wire.bytes(ctx)
	}
	wire.reset()
	return out.bytes(ctx)
}

// decodeWithin decodes at once if there is room in memory, as nearly always, and otherwise waits for all the room the body can need
// before it starts over: a decoder at work never waits.
func (x *exchange) decodeWithin(ctx context.Context, raw []byte, codings []string, limit int64) (*buffer, error) {
	out := x.newBuffer()
	out.hurried = true
	err := x.client.decoders.decode(ctx, out, raw, codings, limit)
	if errors.Is(err, errNoRoom) {
		out.reset()
		if err := x.response.share.prepay(ctx, 2*limit); err != nil { // in chunks, and in one piece
			return out, err
		}
		err = x.client.decoders.decode(ctx, out, raw, codings, limit)
	}
	out.hurried = false
	return out, err
}
