package spool

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
)

// Bounds of a spool.
const (
	MaxItems = 10_000
	MaxAge   = 24 * time.Hour

	maxFile = 64 << 20 // bytes
)

const (
	requestSuffix = ".request.json"
	answerSuffix  = ".answer.json"
)

// An Item is one URL that is submitted.
type Item struct {
	Seed   string `json:"seed"`              // a line of a list of seeds
	AsSeed bool   `json:"as_seed,omitempty"` // the scope is to follow it
}

// A Result is what became of an Item.
type Result struct {
	URL    string `json:"url"`
	Result string `json:"result"`          // "queued", "known" or "refused"
	State  string `json:"state,omitempty"` // of what was known: "queued", "retrying", "done", "refused", "failed"
	Code   int    `json:"code,omitempty"`  // of the answer, when it is done
	Gate   string `json:"gate,omitempty"`  // that refused it
	Reason string `json:"reason,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Line   int    `json:"line,omitempty"` // of robots.txt
}

// A Dir is a spool in the directory of that name, which is made when needed.
type Dir string

// Put makes a request durable and returns its name.
func (d Dir) Put(items []Item) (id string, err error) {
	if err := job.MakeDir(string(d)); err != nil {
		return "", fmt.Errorf("submit: %w", err)
	}
	id = time.Now().UTC().Format("20060102T150405.000000000") + "-" + strings.ToLower(rand.Text()[:8])
	return id, d.write(id+requestSuffix, items)
}

func (d Dir) write(name string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		err = job.WriteFile(d.path(name), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	return nil
}

func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// Pending returns the names of the requests that are not answered, oldest first, and removes what nobody will ask for.
func (d Dir) Pending() (ids []string, err error) {
	entries, err := os.ReadDir(string(d))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read submissions: %w", err)
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), requestSuffix); ok {
			ids = append(ids, id)
		} else if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > MaxAge {
			os.Remove(d.path(e.Name()))
		}
	}
	return ids, nil
}

// Take returns what a request asks for. It stays until it is answered. ok is false when it was answered before the process that
// did so was killed; then it is removed. A file that is no request, which Put never leaves, is an error.
func (d Dir) Take(id string) (items []Item, ok bool, err error) {
	if _, err := os.Stat(d.path(id + answerSuffix)); err == nil {
		return nil, false, os.Remove(d.path(id + requestSuffix))
	}
	data, err := job.ReadFile(d.path(id+requestSuffix), maxFile)
	if errors.Is(err, job.ErrNotRegular) {
		return nil, false, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read submission: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&items); err != nil || len(items) > MaxItems {
		return nil, false, fmt.Errorf("%w: %s", ErrDamaged, d.path(id+requestSuffix))
	}
	return items, true, nil
}

// ErrDamaged says that a file in the spool is no request.
var ErrDamaged = errors.New("not a submission")

// Reject puts a file that is no request aside, under a name that says so.
func (d Dir) Reject(id string) error {
	return os.Rename(d.path(id+requestSuffix), d.path(id+".damaged"))
}

// Answer tells what became of a request, in the order of its items, and removes it. What it asks for must be durable.
func (d Dir) Answer(id string, results []Result) error {
	if err := d.write(id+answerSuffix, results); err != nil {
		return err
	}
	if err := os.Remove(d.path(id + requestSuffix)); err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	return nil
}

// Collect returns the answer to a request, and removes it; ok is false while there is none.
func (d Dir) Collect(id string) (results []Result, ok bool, err error) {
	data, err := job.ReadFile(d.path(id+answerSuffix), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &results)
	}
	if err == nil && d.answered(id) {
		err = os.Remove(d.path(id + answerSuffix))
	}
	if err != nil {
		return nil, false, fmt.Errorf("read answer: %w", err)
	}
	return results, true, nil
}

// answered reports whether the request is gone. Until then its answer must stay: it keeps it from being taken again.
func (d Dir) answered(id string) bool {
	_, err := os.Stat(d.path(id + requestSuffix))
	return errors.Is(err, fs.ErrNotExist)
}
