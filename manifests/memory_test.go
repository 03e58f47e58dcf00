//go:build linux

package manifests

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// What reading and writing all of DogSeg, 156,062 records with 30 sources each, takes of a process that does nothing else: at most 300 MB (10⁶ bytes), of whatever number
// of cores, and at most 6 s of processor time each.
func TestMemoryOfDogSeg(t *testing.T) {
	if os.Getenv("HDSEG_LONG") == "" {
		t.Skip("SKIPPED: set HDSEG_LONG=1 to read and write 156,062 records, 220 MB, four times")
	}
	s := testStore(t)
	if _, err := WriteListed(s, "dogseg", sample(benchRecords, 30)); err != nil {
		t.Fatal(err)
	}
	for _, cores := range []string{"2", "16"} {
		t.Setenv("GOMAXPROCS", cores)
		for _, as := range []string{"reads", "stages"} {
			c, out := startChild(t, s, as)
			text, _ := out.ReadString(0)
			if err := c.Wait(); err != nil {
				t.Fatal(err, text)
			}
			var wall, cpu, peak float64
			if _, err := fmt.Sscan(text, &wall, &cpu, &peak); err != nil {
				t.Fatalf("%s: %q: %v", as, text, err)
			}
			t.Logf("GOMAXPROCS=%s, a process that %s: %.2f s, %.2f s of processor, peak %.0f MB", cores, map[string]string{"reads": "reads", "stages": "reads and writes"}[as], wall, cpu, peak)
			if peak > 300 {
				t.Errorf("peak %.0f MB, want at most 300", peak)
			}
			if each := cpu / float64(strings.Count(as, "stages")+1); each > 6 {
				t.Errorf("%.1f s of processor time each, want at most 6", each)
			}
		}
	}
}

// childReads reads a manifest and says what that took: seconds, seconds of processor time, MB.
func childReads(s *Store) error {
	start := time.Now()
	m, _, err := Read(s, "dogseg")
	if err != nil || len(m.Records) != benchRecords {
		return fmt.Errorf("%d records, %w", len(m.Records), err)
	}
	fmt.Println(time.Since(start).Seconds(), cpuSeconds(), peakMB())
	return nil
}

// childStages reads a manifest and writes another one of its records, as a stage does.
func childStages(s *Store) error {
	start := time.Now()
	m, d, err := Read(s, "dogseg")
	if err != nil {
		return err
	}
	m.Parent = d
	for i := range m.Records { // so that every part changes
		m.Records[i].Source = "seen"
	}
	if _, err := WriteListed(s, "next", m); err != nil {
		return err
	}
	fmt.Println(time.Since(start).Seconds(), cpuSeconds(), peakMB())
	return nil
}
