package boost

import (
	"math"
	"runtime"
	"testing"
	"time"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/feature"
)

// TestLargest trains a tenth of the paper's largest case, 650,000 of 6.5 million pairs of superpixels with the
// four label pairs as outputs, once with a sequence of trees per output and once with shared trees, prints time,
// memory and the quality of both, and what the whole would take beside the paper's 668 minutes on 24 cores:
//
//	HDSEG_REAL=1 go test -run Largest -v -timeout 1h ./lscrf/tools/boost
//
// HDSEG_THREADS is 1 and HDSEG_TREES 500 unless set; with fewer trees the time of the whole is extrapolated to 500.
func TestLargest(t *testing.T) {
	const rows, outputs = 650_000, 4
	threads, trees := number("HDSEG_THREADS", 1), number("HDSEG_TREES", 500)
	train, test := realWorlds(t, 2)
	if train.first(rows); len(train.edges) < rows {
		t.Fatalf("got %d edges, want %d", len(train.edges), rows)
	}
	y, yt := train.targets(), test.targets()
	for _, leaves := range []Leaves{Independent, Shared} {
		opt := Defaults()
		opt.Leaves, opt.Trees = leaves, trees
		runtime.GC()
		peak := uint64(0)
		watch := func(p Progress) bool {
			if p.Tree%25 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
			return true
		}
		cpu, wall := peer.CPU(), time.Now()
		b := NewBinning(train.x, train.n, feature.DraftDim, opt.Borders, threads)
		d := Pairs(b.Bin(train.x, train.n, threads), train.edges)
		m, _, err := Fit(Data{Design: d, Outputs: outputs, Targets: y}, opt, threads, watch)
		if err != nil {
			t.Fatal(err)
		}
		minutes := (peer.CPU() - cpu).Minutes()
		t.Logf("%-11s leaves, %d trees: cpu %5.2f min, wall %5.2f min with %d workers, %d MB in use (pictures' features and targets included)",
			leaves, trees, minutes, time.Since(wall).Minutes(), threads, peak>>20)
		cpu = peer.CPU()
		p := m.PredictPairs(test.x, test.n, test.edges, threads)
		t.Logf("%-11s leaves: test RMSE %.5f, largest of the four right in %.2f%%, %.1f ms per 1000 pairs",
			leaves, math.Sqrt(meanSquare(p, yt)), 100*largestRight(p, yt, outputs), peer.Milliseconds(peer.CPU()-cpu)*1000/float64(len(test.edges)))
		whole := 10 * minutes * 500 / float64(trees)
		t.Logf("%-11s leaves: 500 trees on ten times as much are %.0f core minutes; the paper used 668 min x 24 cores = %d, %.0f times as many",
			leaves, whole, 668*24, 668*24/whole)
	}
}

// largestRight returns the fraction of rows whose largest prediction is where the target is.
func largestRight(p, y []float32, outputs int) float64 {
	right := 0
	for i := 0; i < len(p); i += outputs {
		best := 0
		for k := range outputs {
			if p[i+k] > p[i+best] {
				best = k
			}
		}
		if y[i+best] == 1 {
			right++
		}
	}
	return float64(right) / float64(len(p)/outputs)
}
