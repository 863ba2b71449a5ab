package disk

import "testing"

// Ensure that nothing that was passed on before is known afterwards, though who hashed it before says so later.
func TestPassedCache_Forget(t *testing.T) {
	c := newPassedCache(1 << 10)
	key := func() seenKey {
		s := c.secret.Load()
		return seenKey{siteID(s.hash("http://far")), s.hash("http://far/1")}
	}
	before := key()
	c.known.add(before)
	if !c.known.has(key()) {
		t.Fatal("what was passed on is not known")
	}
	c.forget()
	c.known.add(before)
	if c.known.has(key()) {
		t.Error("what was hashed before all was forgotten is known")
	}
	c.known.add(key())
	if !c.known.has(key()) {
		t.Error("what was passed on since is not known")
	}
}
