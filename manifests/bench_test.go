//go:build unix

package manifests

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hdseg/manifests/canon"
)

// The whole of DogSeg.
const benchRecords = 156_062

// peakMB is the largest resident size of the process so far, from Linux' /proc; 0 elsewhere.
func peakMB() float64 {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb * 1024 / 1e6
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

// BenchmarkStage reads a manifest and writes it under another name, as a stage does; see BenchmarkRead for $HDSEG_BENCH.
func BenchmarkStage(b *testing.B) {
	dir := b.TempDir()
	if d := os.Getenv("HDSEG_BENCH"); d != "" {
		dir = filepath.Join(d, "30")
	}
	s, err := OpenStore(dir)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "dogseg.yaml")); err != nil {
		if _, err := Write(s, "dogseg", sample(benchRecords, 30)); err != nil {
			b.Fatal(err)
		}
	}
	cpu := cpuSeconds()
	for b.Loop() {
		m, d, err := Read(s, "dogseg")
		if err != nil {
			b.Fatal(err)
		}
		m.Parent = d
		m.Records[0].Image.Notes = []string{"seen"} // so that a part changes
		if _, err := Write(testStore(b), "next", m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpuSeconds()-cpu)/float64(b.N), "cpu-s/op")
	b.ReportMetric(peakMB(), "peak-MB")
}

// BenchmarkList is what the list costs beside the manifest: written anew, and with one record changed.
func BenchmarkList(b *testing.B) {
	for _, again := range []bool{false, true} {
		b.Run(map[bool]string{false: "new", true: "again"}[again], func(b *testing.B) {
			m := sample(benchRecords, 0)
			s := testStore(b)
			if again {
				if _, err := WriteListed(s, "stages/split", m); err != nil {
					b.Fatal(err)
				}
			}
			var plain, listed, plainCPU, listedCPU float64
			for b.Loop() {
				for _, l := range []*listing{nil, {m: m}} {
					m.Records[0].Image.Notes = append(m.Records[0].Image.Notes, "seen") // so that a part changes
					began, cpu := time.Now(), cpuSeconds()
					if _, err := write(s, "dogseg", m, l); err != nil {
						b.Fatal(err)
					}
					if wall, cpu := time.Since(began).Seconds(), cpuSeconds()-cpu; l == nil {
						plain, plainCPU = plain+wall, plainCPU+cpu
					} else {
						listed, listedCPU = listed+wall, listedCPU+cpu
					}
				}
			}
			n := float64(b.N)
			b.ReportMetric((listed-plain)/n, "list-s/op")
			b.ReportMetric((listedCPU-plainCPU)/n, "list-cpu-s/op")
			b.ReportMetric(peakMB(), "peak-MB")
		})
	}
}

// BenchmarkPut stores 1,000 files of 100 KB and makes them durable: all at the end, as Put and Write do, or one by one.
func BenchmarkPut(b *testing.B) {
	const n = 1000
	data := make([]byte, 100<<10)
	for name, each := range map[string]bool{"together": false, "one-by-one": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := testStore(b)
				for i := range n {
					data[0], data[1] = byte(i), byte(i>>8)
					var err error
					if each {
						err = s.Replace("images/"+strconv.Itoa(i)+".jpg", data)
					} else {
						_, _, err = s.Put("images", strconv.Itoa(i), "jpg", data)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Flush(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*n), "ms/file")
		})
	}
}

// BenchmarkYAML is what the canonical form saves: yaml.v3 on one part.
func BenchmarkYAML(b *testing.B) {
	recs := sample(PartRecords, 30).Records
	data := appendFile(nil, recs, recordFields, false)
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := recordCodec.scanItems(&canon.Scanner{}, data, nil); !ok {
				b.Fatal("not canonical")
			}
		}
	})
	b.Run("decoder", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			d := &canon.Decoder{File: "f"}
			if recordCodec.decodeItems(d, data); len(d.Faults) > 0 {
				b.Fatal(d.Faults)
			}
		}
	})
}
