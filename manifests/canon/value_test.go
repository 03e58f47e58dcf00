package canon

import (
	"fmt"
	"math"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestDecimalsSurvive(t *testing.T) {
	for _, f := range []float64{0, 1, 0.1, 1. / 3, math.SmallestNonzeroFloat64, 0.30000000000000004, math.Nextafter(1, 0)} {
		v, got := Decimal(f), Decimal(-1)
		s := &Scanner{b: v.write(nil, 0)}
		if !got.scan(s, 0) || got != v {
			t.Errorf("%v: got %v", f, got)
		}
		var y any
		if err := yaml.Unmarshal(v.write(nil, 0), &y); err != nil || fmt.Sprint(y) != fmt.Sprint(f) {
			t.Errorf("%v: yaml.v3 reads %v, %v", f, y, err)
		}
	}
}

func TestQuoting(t *testing.T) {
	for _, s := range []string{"y", "No", "ON", "true", "NULL", "~", "", "1e5", "2008_000008", "0x1f", "-a", ".inf", "a:b", "a b", "a#b", "é", "_a", "a,b", "a]"} {
		if isWord(s) {
			t.Errorf("%q: got a bare word", s)
		}
	}
	for _, s := range []string{"a", "jpeg", "transfer/bbox", "n02374451_87", "voc2012", "yes1", "null-ish", "a.b"} {
		if !isWord(s) {
			t.Errorf("%q: got quotes", s)
		}
	}
	// \x and \u escapes by the table of YAML 1.2.2, section 5.7.
	for s, want := range map[string]string{
		"a":                   `"a"`,
		"":                    `""`,
		`a"b\`:                `"a\"b\\"`,
		"\t\n\r\x00":          `"\t\n\x0d\x00"`,
		"\u007f\u0085\u00a0é": `"\x7f\x85` + "\u00a0é\"",
		"\u2028\ufeff\uffff😀": `"\u2028\ufeff\uffff😀"`,
	} {
		if got := string(appendQuoted(nil, s)); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}
