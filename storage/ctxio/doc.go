// Package ctxio ends reading with a context: what copies much from a file to another goes on for long, and looks at no context by
// itself. A read that waits is not cut short; see cmd/cybermapper/internal/pipe for what may wait.
package ctxio
