//go:build unix

package manifests

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The whole of DogSeg.
const benchRecords = 156_062

// peakMB is the largest resident size of the process so far, from Linux' /proc; 0 elsewhere.
func peakMB() float64 {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb / 1024
		}
	}
	return 0
}

// cpuSeconds is the processor time of the process so far, which other work on the machine does not change.
func cpuSeconds() float64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Run one at a time for the peak: go test -run '^$' -bench 'Write/30' -benchtime 1x ./manifests
func BenchmarkWrite(b *testing.B) {
	for _, sources := range []int{0, 30} {
		b.Run(strconv.Itoa(sources), func(b *testing.B) {
			m := sample(benchRecords, sources)
			b.ReportAllocs()
			cpu := cpuSeconds()
			for b.Loop() {
				if _, err := Write(testStore(b), "dogseg", m); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(benchRecords*float64(b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric((cpuSeconds()-cpu)/float64(b.N), "cpu-s/op")
			b.ReportMetric(peakMB(), "peak-MB")
		})
	}
}

// BenchmarkRead reads the store in $HDSEG_BENCH if it is set, so that its peak is that of reading alone.
func BenchmarkRead(b *testing.B) {
	for _, sources := range []int{0, 30} {
		b.Run(strconv.Itoa(sources), func(b *testing.B) {
			dir := b.TempDir()
			if d := os.Getenv("HDSEG_BENCH"); d != "" {
				dir = filepath.Join(d, strconv.Itoa(sources))
			}
			s, err := OpenStore(dir)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "dogseg.yaml")); err != nil {
				if _, err := Write(s, "dogseg", sample(benchRecords, sources)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			cpu := cpuSeconds()
			for b.Loop() {
				if _, _, err := Read(s, "dogseg"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(benchRecords*float64(b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric((cpuSeconds()-cpu)/float64(b.N), "cpu-s/op")
			b.ReportMetric(peakMB(), "peak-MB")
		})
	}
}
