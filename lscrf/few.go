package lscrf

import (
	"errors"
	"fmt"

	"hdseg/lscrf/tools/boost"
)

// A FewError says that a mix of tiers has too few images for a setting. Another mix may have enough.
type FewError struct{ message string }

func (e *FewError) Error() string { return e.message }

// LeftOut says in a warning that a row of the table is left out, and why.
func LeftOut(s Spec, why error) string { return fmt.Sprintf("%s is left out: %v", s.Name(), why) }

// few makes a FewError of a format like that of fmt.Errorf.
func few(format string, args ...any) error { return &FewError{fmt.Sprintf(format, args...)} }

// treesErr names the setting and images in an error of trees about too few groups of rows; settings is the path of their options.
func treesErr(settings string, m Mix, err error) error {
	var f *boost.FewError
	if !errors.As(err, &f) {
		return err
	}
	want := f.Want
	if f.Option == "folds" {
		want = fmt.Sprintf("2 to %d", f.Have)
		if f.Have < 2 {
			want = "0, which turns tree features off"
		}
	}
	return few("%s.%s: got %v with %d images of the tiers %s (near duplicates are one), want %s", settings, f.Option, f.Got, f.Have, m, want)
}
