package bootclock_test

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/storage/bootclock"
)

func ExampleReading_Excess() {
	left := bootclock.Reading{Boot: "0f749754", Since: 10 * time.Minute} // what a process kept
	back := bootclock.Reading{Boot: "0f749754", Since: 12 * time.Minute} // what the next one reads
	fmt.Println("the wall clock was set forward by", left.Excess(back, time.Hour+2*time.Minute))
	// Output: the wall clock was set forward by 1h0m0s
}
