//go:build !unix

package pages_test

import "errors"

func putUnderLimit(string) error { return errors.ErrUnsupported }

func openUnderLimit(string) error { return errors.ErrUnsupported }
