package crawler

import "testing"

func TestBudget_NeverMoreThanAskedFor(t *testing.T) {
	b := newBudget(Limits{Pages: 3}, 1, 0)
	for range 2 {
		if !b.reserve() {
			t.Fatal("two of three pages are left, but cannot be reserved")
		}
	}
	if b.reserve() {
		t.Fatal("a third page was reserved where two are left")
	}
	ok, end, changed := b.room()
	if ok || end != "" {
		t.Fatalf("room with all reserved = %v, %q; want to wait", ok, end)
	}
	b.settle(false, 10)
	select {
	case <-changed:
	default:
		t.Error("giving a reservation back was not told")
	}
	b.settle(true, 10)
	if !b.reserve() {
		t.Fatal("a page that was given back cannot be reserved")
	}
	b.settle(true, 10)
	if ok, end, _ := b.room(); ok || end != EndPages {
		t.Errorf("room after the last page = %v, %q; want max-pages", ok, end)
	}
}

func TestBudget_Bytes(t *testing.T) {
	b := newBudget(Limits{Bytes: 100}, 0, 0)
	b.reserve()
	b.settle(true, 100)
	if ok, end, _ := b.room(); ok || end != EndBytes {
		t.Errorf("room = %v, %q; want max-bytes", ok, end)
	}
}
