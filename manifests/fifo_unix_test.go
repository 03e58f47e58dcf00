//go:build unix

package manifests

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// A pipe in place of a picture, a part or an index is a fault; nobody waits for its writer.
func TestCheckPipes(t *testing.T) {
	pipe := func(name string) {
		t.Helper()
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Skipf("SKIPPED: there are no pipes here: %v", err)
		}
	}
	p := newPlanted(t)
	p.write()
	pipe(p.file(p.record("a").Image.Path))
	pipe(p.file("stages/ingest.yaml"))
	faults, err := Check(t.Context(), p.s, "horseseg", CheckOptions{})
	if err != nil || len(faults) != 2 || faults[0].Kind != FaultParent || faults[1].Kind != FaultFile || !strings.Contains(faults[1].Message, "is no regular file") {
		t.Errorf("got %v, %v", faults, err)
	}
	pipe(p.file(part0))
	if faults, err := Check(t.Context(), p.s, "horseseg", CheckOptions{}); err != nil || len(faults) == 0 || faults[0].Kind != FaultPart {
		t.Errorf("a part: got %v, %v", faults, err)
	}
	index := p.file("horseseg.yaml")
	pipe(index)
	if _, err := Check(t.Context(), p.s, "horseseg", CheckOptions{}); err == nil {
		t.Error("an index: got no error")
	}
	if _, _, err := Locate(index); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("Locate: got %v", err)
	}
}
