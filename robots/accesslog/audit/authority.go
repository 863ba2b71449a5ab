package audit

import (
	"bytes"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A log without hosts is that of one host. Some of its targets may be in absolute form all the same (RFC 9112 section 3.2.2): of
// clients that take the server for a proxy, which ask for other hosts, or of those in front of it. Which host is its own is known
// in the end: the one that all of them name. Until then what they were judged for is kept apart.

// authorities are the hosts that targets name, without leading www.
type authorities map[string]struct{}

// maxAuthorities bounds the hosts that are told apart: two are too many to tell whose the log is.
const maxAuthorities = 2

// add notes that a target names a host.
func (s authorities) add(host []byte) {
	if len(s) < maxAuthorities {
		s[string(bare(host))] = struct{}{}
	}
}

// isOwn reports whether the log is that of the only host that targets name.
func (s authorities) isOwn() bool { return len(s) == 1 }

// bare returns a host without leading www.
func bare(host []byte) []byte { return bytes.TrimPrefix(host, []byte("www.")) }

// isElsewhere reports whether a target names another host than that which was asked.
func isElsewhere(e *accesslog.Entry) bool {
	return len(e.Authority) > 0 && len(e.Host) > 0 && !bytes.Equal(bare(e.Authority), bare(e.Host))
}

// isOpen reports whether it cannot be known yet that a target is of the host that was asked.
func isOpen(e *accesslog.Entry) bool { return len(e.Authority) > 0 && len(e.Host) == 0 }
