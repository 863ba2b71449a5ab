package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/cybermapper/cybermapper/frontier"
)

// maxSeedLine bounds a line of a seed file, in bytes.
const maxSeedLine = 64 << 10

// A badSeed is a line of a seed file that is no URL.
type badSeed struct {
	where string // file and line
	err   error
}

func (b badSeed) String() string { return b.where + ": " + b.err.Error() }

// readSeeds reads one URL per line. Empty lines and lines that begin with # are skipped; lines that hold something else
// are returned as bad. The error is that of r.
func readSeeds(r io.Reader, name string) (seeds []frontier.URL, bad []badSeed, err error) {
	in := bufio.NewReaderSize(r, maxSeedLine)
	for number := 1; ; number++ {
		line, tooLong, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return seeds, bad, fmt.Errorf("read seeds: %w", err)
		}
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			seed, perr := parseSeed(line)
			if tooLong {
				perr = fmt.Errorf("longer than %d bytes", maxSeedLine)
			}
			if perr != nil {
				bad = append(bad, badSeed{where: fmt.Sprintf("%s:%d", name, number), err: perr})
			} else {
				seeds = append(seeds, seed)
			}
		}
		if err != nil {
			return seeds, bad, nil
		}
	}
}

// readLine returns the next line, or the beginning of it when it is too long.
func readLine(in *bufio.Reader) (line string, tooLong bool, err error) {
	b, err := in.ReadSlice('\n')
	line = string(b)
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = in.ReadSlice('\n')
	}
	return line, tooLong, err
}

// parseSeed reads a URL as people write it.
func parseSeed(s string) (frontier.URL, error) {
	u, err := frontier.ParseURL(s)
	if err == nil {
		return u, nil
	}
	if !strings.Contains(s, ":/") {
		if guess, gerr := frontier.ParseURL("https://" + s); gerr == nil && strings.ContainsAny(guess.Hostname(), ".:") {
			return u, withHint(fmt.Errorf("%q has no scheme", s), "did you mean "+guess.String()+"?")
		}
	}
	return u, fmt.Errorf("%q: %w", s, err)
}

// isLoopback reports whether u can only be on this machine.
func isLoopback(u frontier.URL) bool {
	host := strings.TrimSuffix(u.Hostname(), ".")
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
