package database_test

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/storage/database"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "database")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, isAbandoned, err := database.Open(dir, &pebble.Options{Logger: quiet{}}, func() {})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("left to itself:", isAbandoned)
	fmt.Println("closed:", db.Close())
	// Output:
	// left to itself: false
	// closed: <nil>
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}
