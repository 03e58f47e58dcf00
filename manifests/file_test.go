package manifests

import (
	"reflect"
	"testing"
)

func TestWriteRead(t *testing.T) {
	for _, n := range []int{0, 1, 3, PartRecords, PartRecords + 1} {
		s := testStore(t)
		want := sample(n, 3)
		d, err := Write(s, "stages/ingest", want)
		if err != nil {
			t.Fatal(err)
		}
		got, gd, err := Read(s, "stages/ingest")
		if err != nil {
			t.Fatal(err)
		}
		if gd != d {
			t.Errorf("%d records: got digest %s, want %s", n, gd, d)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d records: got another manifest", n)
		}
		s2, got, gd, err := ReadFile(s.Dir() + "/stages/ingest.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if s2.Dir() != s.Dir() || gd != d || !reflect.DeepEqual(got, want) {
			t.Errorf("%d records: ReadFile gives another manifest", n)
		}
	}
}
