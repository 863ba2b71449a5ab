package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage"
)

// A fake is a sink that notes what it is asked to do.
type fake struct {
	name string
	log  *[]string
	err  error
}

func (f fake) Put(_ context.Context, p *storage.Page) error {
	*f.log = append(*f.log, f.name+" put "+p.URL)
	return f.err
}

// A syncing fake also syncs.
type syncing struct{ fake }

func (s syncing) Sync() error {
	*s.log = append(*s.log, s.name+" sync")
	return s.err
}

var (
	errA = errors.New("a is broken")
	errC = errors.New("c is broken")
)

func TestMulti(t *testing.T) {
	for _, tt := range []struct {
		name       string
		errA, errC error
	}{
		{"OK", nil, nil},
		{"one fails", errA, nil},
		{"two fail", errA, errC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log []string
			m := storage.Multi(
				syncing{fake{"a", &log, tt.errA}},
				fake{"b", &log, nil},
				syncing{fake{"c", &log, tt.errC}},
			)
			put := m.Put(t.Context(), &storage.Page{URL: "u"})
			sync := m.(storage.Syncer).Sync()
			if diff := cmp.Diff([]string{"a put u", "b put u", "c put u", "a sync", "c sync"}, log); diff != "" {
				t.Error(diff)
			}
			for what, err := range map[string]error{"Put": put, "Sync": sync} {
				if errors.Is(err, errA) != (tt.errA != nil) || errors.Is(err, errC) != (tt.errC != nil) {
					t.Errorf("%s = %v", what, err)
				}
			}
		})
	}
}

func TestMulti_OfNothing(t *testing.T) {
	m := storage.Multi()
	if err := errors.Join(m.Put(t.Context(), &storage.Page{}), m.(storage.Syncer).Sync()); err != nil {
		t.Error(err)
	}
}

// A printer is a sink.
type printer struct{}

func (printer) Put(_ context.Context, p *storage.Page) error {
	_, err := fmt.Printf("%s: %d bytes of %s\n", p.URL, len(p.Body), p.Type)
	return err
}

func ExampleMulti() {
	var log []string
	sink := storage.Multi(printer{}, fake{name: "another sink:", log: &log})
	err := sink.Put(context.Background(), &storage.Page{URL: "https://example.org/", Type: "text/html", Body: []byte("<p>Hello")})
	fmt.Println(log, err)
	// Output:
	// https://example.org/: 8 bytes of text/html
	// [another sink: put https://example.org/] <nil>
}
