package bootclock_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage/bootclock"
)

func TestRead_GoesOn(t *testing.T) {
	before := bootclock.Read()
	if runtime.GOOS == "linux" && before.Boot == "" {
		t.Skip("this machine does not tell when it was started")
	}
	time.Sleep(10 * time.Millisecond)
	after := bootclock.Read()
	if passed := after.Since - before.Since; before.Boot != after.Boot || before.Boot != "" && passed < 10*time.Millisecond {
		t.Errorf("%v and, 10 ms later, %v", before, after)
	}
}

func TestExcess(t *testing.T) {
	at := func(boot string, since time.Duration) bootclock.Reading {
		return bootclock.Reading{Boot: boot, Since: since}
	}
	for name, tt := range map[string]struct {
		from, to      bootclock.Reading
		elapsed, want time.Duration
	}{
		"as much":           {at("a", time.Minute), at("a", 2*time.Minute), time.Minute, 0},
		"an hour more":      {at("a", time.Minute), at("a", 2*time.Minute), time.Hour + time.Minute, time.Hour},
		"less":              {at("a", time.Minute), at("a", 2*time.Minute), -time.Hour, 0},
		"another start":     {at("a", time.Minute), at("b", 2*time.Minute), time.Hour, 0},
		"no such clock":     {at("", 0), at("", 0), time.Hour, 0},
		"another container": {at("a", 2*time.Minute), at("a", time.Minute), time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.from.Excess(tt.to, tt.elapsed); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSince(t *testing.T) {
	before := bootclock.Read()
	since, ok := bootclock.Since()
	after := bootclock.Read()
	if ok != (before.Boot != "") {
		t.Skip("one of them cannot be read")
	}
	if since < before.Since || since > after.Since {
		t.Errorf("Since() = %v, between readings of %v and %v", since, before.Since, after.Since)
	}
}
