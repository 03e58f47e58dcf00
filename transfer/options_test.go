package transfer

import (
	"math"
	"reflect"
	"testing"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/transfer/cut"
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

// Arrays of a network make a third of the smoothness count, in boxes and in whole pictures, and change nothing else of the energy.
func TestEnergyWithArrays(t *testing.T) {
	o := Defaults()
	plain := []cut.Options{o.energyOf(manifests.BBox), o.energyOf(manifests.Label)}
	if plain[0] != o.Cut || plain[1] != o.SceneCut {
		t.Fatalf("got %+v without arrays, want the settings", plain)
	}
	o.Dense = &feature.Dense{Channels: 3}
	for i, tier := range []manifests.Tier{manifests.BBox, manifests.Label} {
		want := plain[i]
		want.Gamma /= 3
		if got := o.energyOf(tier); math.Abs(got.Gamma-want.Gamma) > 1e-12 || got.ColorWeight != want.ColorWeight || got.PriorWeight != want.PriorWeight {
			t.Errorf("%s: got %+v, want %+v", tier, got, want)
		}
	}
}
