package crawler

import "testing"

func TestBudget_NeverMoreThanAskedFor(t *testing.T) {
	b := newBudget(Limits{Pages: 3}, false, 1, 0, func(Reason) {})
	var out []*reservation
	for range 2 {
		r, ok := b.reserve()
		if !ok {
			t.Fatal("two of three pages are left, but cannot be reserved")
		}
		out = append(out, r)
	}
	if _, ok := b.reserve(); ok {
		t.Fatal("a third page was reserved where two are left")
	}
	ok, end, changed := b.room()
	if ok || end != "" {
		t.Fatalf("room with all reserved = %v, %q; want to wait", ok, end)
	}
	out[0].bytes = 10
	out[0].giveBack()
	select {
	case <-changed:
	default:
		t.Error("giving a reservation back was not told")
	}
	out[1].page = true
	out[1].giveBack()
	last, ok := b.reserve()
	if !ok {
		t.Fatal("a page that was given back cannot be reserved")
	}
	last.page = true
	last.giveBack()
	if ok, end, _ := b.room(); ok || end != EndPages {
		t.Errorf("room after the last page = %v, %q; want max-pages", ok, end)
	}
}

func TestBudget_Bytes(t *testing.T) {
	b := newBudget(Limits{Bytes: 100}, false, 0, 0, func(Reason) {})
	r, _ := b.reserve()
	r.page, r.bytes = true, 100
	r.giveBack()
	if ok, end, _ := b.room(); ok || end != EndBytes {
		t.Errorf("room = %v, %q; want max-bytes", ok, end)
	}
}

// Whoever hands a reservation on may still give back what was its own, as a defer does: it counts once.
func TestReservation_IsGivenBackOnce(t *testing.T) {
	b := newBudget(Limits{Pages: 10}, false, 0, 0, func(Reason) {})
	first, _ := b.reserve()
	first.page, first.bytes = true, 7
	second := first.handOn()
	first.giveBack()
	if b.reserved != 1 || b.pages != 0 {
		t.Errorf("after it was handed on: %d reserved, %d pages; want 1 and 0", b.reserved, b.pages)
	}
	second.giveBack()
	second.giveBack()
	if b.reserved != 0 || b.pages != 1 || b.bytes != 7 {
		t.Errorf("after it was given back: %d reserved, %d pages, %d bytes; want 0, 1 and 7", b.reserved, b.pages, b.bytes)
	}
}
