package transfer

import (
	"math"
	"reflect"
	"testing"
)

// No number of the options, however deep, may be infinite or none: each would end in masks of NaN, or late.
func TestValidateRefusesWhatIsNoNumber(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	seen := 0
	var try func(name string, v reflect.Value)
	try = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if !v.Type().Field(i).IsExported() {
					continue
				}
				try(name+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				try(name, v.Index(i))
			}
		case reflect.Float64:
			seen++
			was := v.Float()
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				if v.SetFloat(bad); o.Validate() == nil {
					t.Errorf("%s: %g is accepted", name, bad)
				}
			}
			v.SetFloat(was)
		}
	}
	try("Options", reflect.ValueOf(&o).Elem())
	if seen != 7 {
		t.Errorf("tried %d numbers, want 7", seen)
	}
}
