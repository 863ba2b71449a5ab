package stream

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// errDenied says that the user may not do what the job needs.
var errDenied = errors.New("credentials: the user lacks a permission")

// denials are what the brokers have refused this user. They do not answer whoever asked, but say so beside.
type denials struct {
	mu   sync.Mutex
	last map[string]denial // by kind
}

// A denial is one refusal.
type denial struct {
	at   time.Time
	text string // as the broker said it: what was tried, and the subject
}

// note hears of errors that belong to no question.
func (d *denials) note(_ *nats.Conn, _ *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return // whoever asked hears of it
	}
	text := strings.TrimPrefix(err.Error(), nats.ErrPermissionViolation.Error()+": ")
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		d.last = make(map[string]denial)
	}
	d.last[kindOf(text)] = denial{time.Now(), text}
}

// kindOf returns the beginning of the subject of a text, of which there are few.
func kindOf(text string) string {
	_, subject, _ := strings.Cut(text, `"`)
	subject, _, _ = strings.Cut(subject, `"`)
	if strings.HasPrefix(subject, "cm.") {
		return subject // that of a log, an inbox, or calls
	}
	kind, _, _ := strings.Cut(subject, ".")
	return kind
}

// explain returns an error that names the permission that is missing, in the place of err, which says that nobody has answered a
// question that was begun at a moment, if one about a subject was refused since; or, without a subject, one about JetStream.
func (d *denials) explain(err error, begun time.Time, subject string) error {
	if err == nil {
		return nil
	}
	kinds := []string{"$JS", "$KV", "$O", "_INBOX"}
	if subject != "" {
		kinds = []string{subject, "_INBOX"}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, kind := range kinds {
		if last, ok := d.last[kind]; ok && !last.at.Before(begun) && isPassing(err) {
			return fmt.Errorf("%w: %s", errDenied, last.text)
		}
	}
	return err
}
