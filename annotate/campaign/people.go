package campaign

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Role says what a person may do.
type Role string

// Annotators draw and submit. Reviewers do that too, and accept, reject, reopen and adjudicate.
const (
	Annotator Role = "annotator"
	Reviewer  Role = "reviewer"
)

// A Person works in a campaign.
type Person struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
}

// CheckName reports a name of a person or tool that does not show: it has characters that do not
// print or that are invisible, such as U+3164 and the blank U+2800, or nothing but marks and
// blanks.
func CheckName(name string) error {
	hidden := func(r rune) bool {
		return !unicode.IsPrint(r) || r == 0x2800 || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	}
	shows := func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) }
	if strings.ContainsFunc(name, hidden) || !strings.ContainsFunc(name, shows) {
		return fmt.Errorf("name %q: want printable characters that show", name)
	}
	return nil
}

// NewPerson checks a name: 1 to 60 printable characters, not "main", no blanks around it.
func NewPerson(name string, role Role) (Person, error) {
	if n := utf8.RuneCountInString(name); n < 1 || n > 60 || !utf8.ValidString(name) || strings.TrimSpace(name) != name || name == Main {
		return Person{}, fmt.Errorf("name %q: want 1 to 60 characters without blanks around them, and not %q", name, Main)
	}
	return Person{name, role}, CheckName(name)
}
