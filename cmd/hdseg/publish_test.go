package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// Published, explained and compared from the command line.
func TestExportDiffWhy(t *testing.T) {
	out := filepath.Dir(drawn(t))
	index := filepath.Join(out, "horseseg.yaml")
	for _, format := range []string{"hdseg", "coco", "voc", "imagefolder", "croissant"} {
		to := filepath.Join(t.TempDir(), format)
		more := []string{"export", "--format", format, "-i", index, "-o", to, "--json"}
		if format == "hdseg" {
			more = append(more, "--features")
		}
		var got exportResult
		stdout, stderr, code := hdseg(t, more...)
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatalf("%s: %v: %s", format, err, stderr)
		}
		if got.Images != 15 || code != exitDone && format != "hdseg" { // test ids of the drawn world have no '_'
			t.Errorf("%s: exit %d, %s%s", format, code, stdout, stderr)
		}
		if _, err := os.Stat(filepath.Join(to, "SHA256SUMS")); err != nil {
			t.Error(err)
		}
		if format == "coco" { // read again, it is what was exported, with who drew and what was voted
			again := filepath.Join(t.TempDir(), "again")
			file := func(split string) string {
				return filepath.Join(to, "annotations", "instances_"+split+".json") + "=" + filepath.Join(to, split)
			}
			var in ingestResult
			out := must(t, "ingest", "-c", "horseseg", "--coco", file("train")+","+file("test"), "-o", again, "--json")
			if err := json.Unmarshal([]byte(out), &in); err != nil || in.Restored != 15 {
				t.Errorf("%v: restored %d, want 15", err, in.Restored)
			}
			if got := must(t, "diff", index, filepath.Join(again, "stages/ingest.yaml")); got != "0 changes\n" {
				t.Errorf("exported and ingested: %s", got)
			}
		}
	}
	says(t, exitUsage, "want one of", "export", "--format", "gif", "-i", index, "-o", out)

	d := result[diffResult](t, "diff", filepath.Join(out, "stages/split.yaml"), index, "--json")
	added := 0
	for _, c := range d.Counts {
		if c.Kind == "mask_added" && (c.Tier == "bbox" || c.Tier == "label") {
			added += c.N
		}
	}
	if added != 7 || len(d.Changes) != 7 { // transfer adds masks, and nothing else
		t.Errorf("got %+v", d.Counts)
	}
	if got := must(t, "diff", index, index); got != "0 changes\n" {
		t.Errorf("got %q", got)
	}

	var w whyResult
	id := d.Changes[0].ID
	try(t, json.Unmarshal([]byte(must(t, "why", id, index, "--json")), &w))
	mask := w.Records[0].Masks[0]
	if !strings.HasPrefix(mask.Mask.WasGeneratedBy, "transfer/") || len(mask.From) == 0 || mask.From[0].Masks[0].Mask.WasAttributedTo == "" {
		t.Errorf("the chain ends before the people who drew: %+v", mask)
	}
	if len(w.Lineage) != 2 || w.Missing != "" || w.Manifest.Header.Version == "" || w.Manifest.Header.Config == "" {
		t.Errorf("lineage: %+v", w.Lineage)
	}
	text := must(t, "why", id, index)
	for _, want := range []string{"mask ", "used sha256 ", "config ", "stage ingest", "sha256 "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	says(t, exitError, "nobody: "+index+" has no record of this id", "why", "nobody", index)
}

// What was made from a data set, by annotate import here, is no other data set: a build goes on in
// the folder, and of both the newest is pushed and pulled where records are chosen.
func TestLineageIsOneDataSet(t *testing.T) {
	_, build := world(t, false)
	index := drawn(t)
	out := filepath.Dir(index)
	masks := filepath.Join(t.TempDir(), "masks")
	must(t, "annotate", "export", index, "--format", "png", "--to", masks)
	reviewed := filepath.Join(out, "reviewed.yaml")
	must(t, "annotate", "import", index, "--format", "png", "--masks", masks, "--by", "Ann", "--at", "2026-03-04T05:06:07Z", "--accept-unchanged", "-o", reviewed)
	must(t, append(build, "-o", out)...)
	must(t, "check", reviewed)
	says(t, exitDone, "reviewed.yaml was made from a manifest that this folder has no more", append(build, "-o", out, "--set", "transfer.pool.neighbors=3")...)
	must(t, append(build, "-o", out)...) // as it was

	srv := s3test.Start(t)
	place := []string{"--endpoint", srv.URL}
	must(t, append([]string{"push", out, "s3://" + s3test.Bucket + "/set"}, place...)...)
	to := filepath.Join(t.TempDir(), "tests")
	if got := must(t, append([]string{"pull", "s3://" + s3test.Bucket + "/set", to, "--splits", "train"}, place...)...); !strings.Contains(got, "reviewed: ") {
		t.Errorf("got %s, want the newest manifest", got)
	}
	if _, m, _, err := manifests.ReadFile(filepath.Join(to, "reviewed.yaml")); err != nil || len(m.Records) != 12 {
		t.Errorf("got %d records, %v, want 12", len(m.Records), err)
	}
	must(t, append([]string{"pull", "s3://" + s3test.Bucket + "/set", filepath.Join(t.TempDir(), "first"), "--splits", "test", "--name", "horseseg"}, place...)...)
}
