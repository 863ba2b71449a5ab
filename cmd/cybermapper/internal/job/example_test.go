package job_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
)

func Example() {
	tmp, err := os.MkdirTemp("", "job")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "job")

	j, err := job.Open(dir, job.Crawl)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = job.Open(dir, job.Crawl)
	fmt.Println("a second process:", errors.Is(err, job.ErrInUse))
	fmt.Println(j.WriteConfig([]byte("crawl: {depth: 3}\n")), j.Close())

	v, err := job.Look(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Kind, v.Running, v.Close())
	// Output:
	// a second process: true
	// <nil> <nil>
	// crawl false <nil>
}
