package manifests

import (
	"reflect"
	"testing"
)

func TestWriteRead(t *testing.T) {
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{Header: Header{Dataset: "horseseg", Stage: "ingest"}, Records: []Record{
		{ID: "2008_000008", Split: Test, Tier: Manual}, {ID: "a", Split: Train, Tier: BBox},
	}}
	d, err := Write(s, "stages/ingest", m)
	if err != nil {
		t.Fatal(err)
	}
	got, gd, err := Read(s, "stages/ingest")
	if err != nil {
		t.Fatal(err)
	}
	if gd != d || got.Records[1].ID != "2008_000008" || len(got.Records) != 2 || !reflect.DeepEqual(got.Header.Dataset, "horseseg") {
		t.Errorf("got %v %+v", gd, got)
	}
}
