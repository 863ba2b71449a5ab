package spool_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/spool"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A request is there until it is answered, and its answer until it is collected; whoever dies in between loses nothing.
func TestDir_NothingIsLost(t *testing.T) {
	d := spool.Dir(filepath.Join(t.TempDir(), "submit"))
	if ids, err := d.Pending(); err != nil || len(ids) != 0 {
		t.Fatalf("no spool yet: %v, %v", ids, err)
	}
	id, err := d.Put([]spool.Item{{Seed: "http://a.example/", AsSeed: true}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first taker was killed before it answered
		ids, err := d.Pending()
		if err != nil || !slices.Equal(ids, []string{id}) {
			t.Fatalf("pending %v, %v", ids, err)
		}
		if items, ok, err := d.Take(id); err != nil || !ok || len(items) != 1 || !items[0].AsSeed {
			t.Fatalf("took %+v, %v, %v", items, ok, err)
		}
	}
	if _, ok, err := d.Collect(id); ok || err != nil {
		t.Fatalf("answered by nobody: %v, %v", ok, err)
	}
	request := filepath.Join(string(d), id+".request.json")
	body := filetest.Read(t, request)
	if err := d.Answer(id, []spool.Result{{URL: "http://a.example/", Result: "queued"}}); err != nil {
		t.Fatal(err)
	}
	// The taker was killed between answer and removal: the answer stays as it is, and is not given twice.
	filetest.Write(t, request, body)
	if results, ok, err := d.Collect(id); err != nil || !ok || results[0].Result != "queued" {
		t.Fatalf("collected %v, %v, %v", results, ok, err)
	}
	if _, ok, err := d.Take(id); ok || err != nil {
		t.Fatalf("an answered request was taken again: %v, %v", ok, err)
	}
	if results, ok, err := d.Collect(id); err != nil || !ok || results[0].Result != "queued" {
		t.Fatalf("collected %v, %v, %v", results, ok, err)
	}
	if _, ok, _ := d.Collect(id); ok {
		t.Error("collected twice")
	}
}

func TestDir_DamagedRequest(t *testing.T) {
	d := spool.Dir(t.TempDir())
	for name, text := range map[string]string{"half": `[{"seed":`, "keys": `[{"sead":"x"}]`, "other": `{}`} {
		filetest.Write(t, filepath.Join(string(d), name+".request.json"), text)
		if _, _, err := d.Take(name); !errors.Is(err, spool.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", text, err)
		}
		if err := d.Reject(name); err != nil {
			t.Error(err)
		}
	}
	if ids, err := d.Pending(); err != nil || len(ids) != 0 {
		t.Errorf("pending after all was put aside: %v, %v", ids, err)
	}
}
