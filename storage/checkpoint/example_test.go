package checkpoint_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
)

// A note of a tree of two lines, short enough to be said on the telephone.
func ExampleTree() {
	var t checkpoint.Tree
	for _, line := range []string{"first", "second"} {
		if err := t.Add([]byte(line)); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(t.Checkpoint("cybermapper.example/job").Short())
	// Output: 2@3ae5bfa57ffa769d
}
