package remote

import (
	"errors"
	"regexp"
	"strconv"
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

var (
	userInfo = regexp.MustCompile(`://[^\s"]*@`)
	bareInfo = regexp.MustCompile(`^[^\s"]*@`)
	queries  = regexp.MustCompile(`[?#][^\s"]*`)
)

// redact leaves out of URLs in a text what may be a secret: user and password, query and fragment.
func redact(text string) string {
	if text = userInfo.ReplaceAllString(text, "://...@"); !strings.Contains(text, "://") {
		text = bareInfo.ReplaceAllString(text, "...@")
	}
	return queries.ReplaceAllString(text, "?...")
}

// oneLine is an error of somebody else for people.
func oneLine(text string) string { return Printable(redact(text)) }

// Printable returns s, which somebody else may have written, for a terminal: if it has control characters or others that do not show, as in a string of Go.
func Printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			q := strconv.Quote(s)
			return q[1 : len(q)-1]
		}
	}
	return s
}
