package stream

import (
	"context"
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
	out  error             // why this user was refused altogether, last
	at   time.Time         // when
}

// refusalLife is how long it counts that this user was refused altogether: a client without a connection tries each second or two.
const refusalLife = 30 * time.Second

// A denial is one refusal.
type denial struct {
	at   time.Time
	text string // as the broker said it: what was tried, and the subject
}

// note hears of errors that belong to no question.
func (d *denials) note(_ *nats.Conn, _ *nats.Subscription, err error) {
	switch {
	case isRefusal(err):
		d.mu.Lock()
		defer d.mu.Unlock()
		d.out, d.at = err, time.Now()
		return
	case !errors.Is(err, nats.ErrPermissionViolation):
		return // whoever asked hears of it
	}
	text := denialText(err)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		d.last = make(map[string]denial)
	}
	d.last[kindOf(text)] = denial{time.Now(), text}
}

// isRefusal reports whether brokers refuse a user, not something that it tries.
func isRefusal(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked)
}

// refusal returns why this user is refused of late; nil when it is not.
func (d *denials) refusal() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.at) > refusalLife {
		return nil
	}
	return d.out
}

// denialText returns what the broker said.
func denialText(err error) string {
	return strings.TrimPrefix(err.Error(), nats.ErrPermissionViolation.Error()+": ")
}

// kindAnswers is that of all subjects that answers go to.
const kindAnswers = "answers"

// kindOf returns the beginning of the subject of a text, of which there are few.
func kindOf(text string) string {
	_, subject, _ := strings.Cut(text, `"`)
	subject, _, _ = strings.Cut(subject, `"`)
	switch {
	case strings.HasPrefix(subject, "cm.") && strings.Contains(subject, ".answers."):
		return kindAnswers // each has a subject of its own
	case strings.HasPrefix(subject, "cm."):
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
	kinds := []string{"$JS", "$KV", "$O", kindAnswers}
	if subject != "" {
		kinds = []string{subject, kindAnswers}
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

// checkRights returns an error that names what the user may not do of what logs, inboxes and calls need. It tries that where no
// partition is, as nobody says so later: who may not hear calls is never called.
func (b *Brokers) checkRights(ctx context.Context) error {
	subject := fmt.Sprintf("cm.%s.p.none.call", b.o.Job)
	for _, try := range []func() error{
		func() error { return b.nc.Publish(subject, nil) },
		func() error {
			sub, err := b.nc.SubscribeSync(subject)
			if err != nil {
				return err
			}
			return sub.Unsubscribe()
		},
	} {
		if err := try(); err != nil {
			return err
		}
		one, cancel := context.WithTimeout(ctx, askPatience)
		err := b.nc.FlushWithContext(one) // what is refused is said before
		cancel()
		if err != nil {
			return err
		}
		if err := b.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), subject) {
			return fmt.Errorf("%w: %s", errDenied, denialText(err))
		}
	}
	return nil
}
