package metric

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A Value is a score, or, if not OK, the absence of one; V is 0 then. The zero Value is undefined.
type Value struct {
	V  float64
	OK bool
}

// Of returns v as a defined Value. It panics if v is not finite, for such a number is a
// fault of the caller and not a score.
func Of(v float64) Value {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		panic(fmt.Sprintf("metric: score %v, want a finite number", v))
	}
	return Value{v, true}
}

// Ratio returns a/b, undefined if b is 0.
func Ratio(a, b int64) Value {
	if b == 0 {
		return Value{}
	}
	return Value{float64(a) / float64(b), true}
}

// Mean returns the mean of the defined values and their number; with none it is undefined.
func Mean(values []Value) (mean Value, defined int) {
	sum := 0.0
	for _, v := range values {
		if v.OK {
			sum += v.V
			defined++
		}
	}
	if defined == 0 {
		return Value{}, 0
	}
	return Value{sum / float64(defined), true}, defined
}

// Sub returns v - o, undefined if one of them is.
func (v Value) Sub(o Value) Value {
	if !v.OK || !o.OK {
		return Value{}
	}
	return Value{v.V - o.V, true}
}

// Scale returns k*v, to print fractions as percents.
func (v Value) Scale(k float64) Value {
	if !v.OK {
		return v
	}
	return Value{k * v.V, true}
}

// Format returns the value with a number of decimals, "-" if undefined.
func (v Value) Format(decimals int) string {
	if !v.OK {
		return "-"
	}
	return strconv.FormatFloat(v.V, 'f', decimals, 64)
}

// String returns the shortest form that reads back to the same number, "-" if undefined.
func (v Value) String() string { return v.Format(-1) }

// MarshalJSON writes a number, or null if undefined.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.OK {
		return []byte("null"), nil
	}
	return json.Marshal(v.V)
}

// UnmarshalJSON reads a number or null.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = Value{}
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(b, &v.V); err != nil {
		return err
	}
	v.OK = true
	return nil
}

// Deviation returns the standard deviation of the defined values about their mean, with n - 1 below
// the line; undefined of fewer than two.
func Deviation(values []Value) Value {
	mean, n := Mean(values)
	if n < 2 {
		return Value{}
	}
	sum := 0.0
	for _, v := range values {
		if v.OK {
			sum += float64((v.V - mean.V) * (v.V - mean.V))
		}
	}
	return Of(math.Sqrt(sum / float64(n-1)))
}
