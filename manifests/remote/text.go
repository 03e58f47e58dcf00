package remote

import (
	"errors"
	"strings"
)

// contains tells whether an error's text has any of the words: some of the SDK's errors have no type.
func contains(err error, words ...string) bool {
	for _, w := range words {
		if strings.Contains(err.Error(), w) {
			return true
		}
	}
	return false
}

// innermost returns the error at the end of the chain.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
