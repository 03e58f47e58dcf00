package transfer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A Row says how well one tier's masks fit true ones, of all images or of one synset's.
type Row struct {
	Class  string         `json:"class"`
	Tier   manifests.Tier `json:"tier"`
	Synset string         `json:"synset,omitempty"` // "" for all
	Images int            `json:"images"`
	// mean over images of figure's intersection over union
	IoUMean     float64         `json:"iou_mean"`
	IoUInterval metric.Interval `json:"iou_mean_interval"` // 95%, by bootstrap over images
	IoUPooled   float64         `json:"iou_pooled"`        // of all images' pixels together
	// mean of ground's and figure's recall, pooled, in percent
	PerClassMean float64      `json:"per_class_mean"`
	BoundaryF    metric.Value `json:"boundary_f"` // mean over images
	// not defined where no run of this store made the masks
	CPUms metric.Value `json:"cpu_ms_per_image"`
	// Spearman's, of predicted and true IoU
	Rank metric.Value `json:"quality_rank_correlation"`
	// without the fifth of lowest predicted IoU
	IoUBest80 metric.Value `json:"iou_mean_best80"`
	// without the fifth of lowest true IoU: the most that IoUBest80 can be
	IoUTrue80 metric.Value `json:"iou_mean_true80"`
	// mean predicted IoU of the masks that have one
	Predicted metric.Value `json:"quality_mean"`
	// mean true IoU of these: lower if predictions are too high
	Actual      metric.Value `json:"quality_mean_true"`
	Reliability []Reliable   `json:"reliability,omitempty"` // per threshold
}

// A Score is one image's part of a report.
type Score struct {
	Record  string         `json:"record"`
	Synset  string         `json:"synset"`
	Tier    manifests.Tier `json:"tier"`
	Quality float64        `json:"quality"` // predicted IoU
	IoU     float64        `json:"iou"`

	confusion *metric.Confusion
	boundary  metric.Value
	cpuMs     metric.Value
	index     int // in the manifest
}

// A Report compares the masks of a manifest with true ones.
type Report struct {
	Rows     []Row   // per tier
	BySynset []Row   // per tier and synset
	Scores   []Score // per image, in the manifest's order within a tier
	// masks that were not compared: without a true mask, or with one that is void throughout
	NoTruth int
}

// bootstrapSamples is the number of resamplings behind an interval; 1000 fixes its ends to about a
// tenth of its width.
const bootstrapSamples = 1000

// Evaluate compares the masks of the bbox and label tiers with those in truthDir, NAME.png of 0
// ground, 255 figure and 128 void (left out), where NAME is the record's id, the name of the
// picture's own file, or what annotation calls it. Records without a true mask, or with one that is
// void throughout, do not count but in NoTruth, nor do those of a predicted IoU under minQuality; a
// true mask that cannot be read or has another size is an error, and so is that no mask has a true
// one. cpuMs (may be nil) is Result.CPUms; without it the times are those that the store's journal
// remembers. A mask without figure has IoU 1 where the truth has none either.
func Evaluate(m *manifests.Manifest, store *manifests.Store, truthDir string, minQuality float64,
	cpuMs map[string]float64) (*Report, error) {
	rep := &Report{}
	masks, compared := 0, 0
	for _, tier := range []manifests.Tier{manifests.BBox, manifests.Label} {
		var scores []Score
		for i := range m.Records {
			s, err := score(m, i, tier, store, truthDir)
			if err != nil {
				return nil, err
			}
			if _, ok := m.Records[i].MaskOf(tier); ok {
				masks++
			}
			if s == nil {
				continue
			}
			if compared++; s.Quality < minQuality {
				continue
			}
			if ms, ok := cpuMs[s.Record]; ok {
				s.cpuMs = metric.Of(ms)
			}
			scores = append(scores, *s)
		}
		if len(scores) == 0 {
			continue
		}
		rep.Rows = append(rep.Rows, newRow(m.Class.Name, tier, "", scores))
		bySynset := map[string][]Score{}
		for _, s := range scores {
			bySynset[s.Synset] = append(bySynset[s.Synset], s)
		}
		for _, synset := range slices.Sorted(maps.Keys(bySynset)) {
			rep.BySynset = append(rep.BySynset, newRow(m.Class.Name, tier, synset, bySynset[synset]))
		}
		rep.Scores = append(rep.Scores, scores...)
	}
	if compared == 0 {
		return nil, noTruth(m, truthDir, masks)
	}
	rep.NoTruth = masks - compared
	return rep, nil
}

// noTruth says why none of so many images of a manifest could be compared.
func noTruth(m *manifests.Manifest, truthDir string, images int) error {
	if _, err := os.Stat(truthDir); err != nil {
		return fmt.Errorf("transfer: true masks: %w", err)
	}
	if images == 0 {
		return fmt.Errorf("transfer: the manifest of stage %s has nothing of the bbox or label tier to compare: want the one "+
			"that transfer writes, with -i, or -o to make masks", m.Stage)
	}
	return fmt.Errorf("transfer: true masks: %s has none with a pixel that is not void for any of %d images: want files named by "+
		"record, such as %s.png", truthDir, images, m.Records[0].ID)
}

// score compares one record's mask of a tier with the true one; nil if there is none of either.
func score(m *manifests.Manifest, i int, tier manifests.Tier, store *manifests.Store, truthDir string) (*Score, error) {
	r := &m.Records[i]
	ref, ok := r.MaskOf(tier)
	if !ok {
		return nil, nil
	}
	truth, err := truthOf(r, truthDir)
	if truth == nil || err != nil {
		return nil, err
	}
	mask, err := loadMask(store, r, ref)
	if err != nil {
		return nil, err
	}
	s, err := compare(r, tier, truth, mask)
	if err != nil {
		return nil, err
	}
	s.Quality, s.index = ref.Quality, i
	if len(ref.Used) == 2 {
		if e, ok, err := recall(store, imageKey(r, ref.Used[1], m.Config, m.Version)); ok && err == nil && e.Mask.SHA256 == ref.SHA256 {
			s.cpuMs = metric.Of(e.CPUms)
		}
	}
	return s, nil
}

// compare scores a mask against the true one. It may change the pixels of both.
func compare(r *manifests.Record, tier manifests.Tier, truth, mask *raster.Mask) (*Score, error) {
	if truth.Width != mask.Width || truth.Height != mask.Height {
		return nil, fmt.Errorf("transfer: %s: true mask: got %d x %d, want %d x %d", r.ID, truth.Width, truth.Height,
			mask.Width, mask.Height)
	}
	s := &Score{Record: r.ID, Synset: r.Synset, Tier: tier, IoU: iou(confusion(truth, mask)), confusion: metric.NewConfusion(2)}
	for i, v := range mask.Pix {
		if v == raster.Void { // void of ours is not scored either
			truth.Pix[i], mask.Pix[i] = raster.Void, raster.Ground
		}
	}
	s.confusion.Add(truth.Pix, mask.Pix)
	tolerance := metric.Diagonal(mask.Width, mask.Height, metric.BoundaryTolerance)
	s.boundary = metric.BoundaryF(truth.Pix, mask.Pix, mask.Width, mask.Height, raster.Figure, tolerance).F
	return s, nil
}

func newRow(class string, tier manifests.Tier, synset string, scores []Score) Row {
	row := Row{Class: class, Tier: tier, Synset: synset, Images: len(scores)}
	var confusions []*metric.Confusion
	var ious, boundary, cpu []metric.Value
	for _, s := range scores {
		confusions = append(confusions, s.confusion)
		ious, boundary, cpu = append(ious, metric.Of(s.IoU)), append(boundary, s.boundary), append(cpu, s.cpuMs)
	}
	mean, _ := metric.Mean(ious)
	row.IoUMean = mean.V
	row.IoUInterval = metric.BootstrapMean(ious, metric.Times(bootstrapSamples), rand.New(rand.NewPCG(uint64(len(scores)), 1)))
	pooled := metric.Pool(2, confusions)
	row.IoUPooled = pooled.IoU(int(raster.Figure)).V
	perClass, _ := pooled.PerClass()
	row.PerClassMean = 100 * perClass.V
	row.BoundaryF, _ = metric.Mean(boundary)
	row.CPUms, _ = metric.Mean(cpu)
	row.Rank = rankCorrelation(scores)
	row.IoUBest80 = best(scores, 0.8, predicted)
	row.IoUTrue80 = best(scores, 0.8, actual)
	row.Predicted, row.Actual = bias(scores)
	row.Reliability = reliability(scores)
	return row
}

// predicted and actual are what scores are ordered by.
func predicted(s *Score) float64 { return s.Quality }
func actual(s *Score) float64    { return s.IoU }

// falling returns the scores sorted by falling value; equal ones stay in order.
func falling(scores []Score, by func(s *Score) float64) []Score {
	out := slices.Clone(scores)
	slices.SortStableFunc(out, func(a, b Score) int { return cmp.Compare(by(&b), by(&a)) })
	return out
}

// best returns the mean IoU of the share of scores of highest value.
func best(scores []Score, share float64, by func(s *Score) float64) metric.Value {
	sorted := falling(scores, by)
	var ious []metric.Value
	for _, s := range sorted[:int(math.Ceil(share*float64(len(sorted))))] {
		ious = append(ious, metric.Of(s.IoU))
	}
	v, _ := metric.Mean(ious)
	return v
}

// rankCorrelation returns Spearman's coefficient of predicted and true IoU, with mean ranks for
// ties; not defined where one of them never varies.
func rankCorrelation(scores []Score) metric.Value {
	a, b := ranks(scores, predicted), ranks(scores, actual)
	meanA, deviationA := spread(a)
	meanB, deviationB := spread(b)
	if !(deviationA > 0 && deviationB > 0) {
		return metric.Value{}
	}
	c := 0.0
	for i, x := range a {
		c += (x - meanA) * (b[i] - meanB) / float64(len(a))
	}
	return metric.Of(c / (deviationA * deviationB))
}

func ranks(scores []Score, by func(s *Score) float64) []float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(by(&scores[i]), by(&scores[j])) })
	out := make([]float64, len(scores))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && by(&scores[order[j]]) == by(&scores[order[i]]) {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// A Reliable is what masks are worth that are chosen by their predicted IoU.
type Reliable struct {
	At    float64      `json:"at"`       // threshold, as of --min-quality
	Masks int          `json:"masks"`    // with at least this predicted IoU
	Truly metric.Value `json:"truly"`    // share of these that are truly so good
	IoU   metric.Value `json:"iou_mean"` // their mean true IoU
	// share of all masks truly so good that are not among them
	Missed metric.Value `json:"missed"`
}

// thresholds are those of a reliability table.
var thresholds = []float64{0.5, 0.6, 0.7, 0.8, 0.9}

// foretold returns the scores that have a prediction.
func foretold(scores []Score) (out []Score) {
	for _, s := range scores {
		if s.Quality > 0 {
			out = append(out, s)
		}
	}
	return out
}

// bias returns the mean of the predicted IoUs, and of the true ones of the same masks.
func bias(scores []Score) (predicted, actual metric.Value) {
	var p, a []metric.Value
	for _, s := range foretold(scores) {
		p, a = append(p, metric.Of(s.Quality)), append(a, metric.Of(s.IoU))
	}
	predicted, _ = metric.Mean(p)
	actual, _ = metric.Mean(a)
	return predicted, actual
}

// reliability returns a row per threshold; none where nothing is predicted.
func reliability(scores []Score) []Reliable {
	if scores = foretold(scores); len(scores) == 0 {
		return nil
	}
	out := make([]Reliable, len(thresholds))
	for k, t := range thresholds {
		var kept []metric.Value
		var truly, good int64
		for _, s := range scores {
			if s.IoU >= t {
				good++
			}
			if s.Quality < t {
				continue
			}
			kept = append(kept, metric.Of(s.IoU))
			if s.IoU >= t {
				truly++
			}
		}
		mean, n := metric.Mean(kept)
		out[k] = Reliable{At: t, Masks: n, Truly: metric.Ratio(truly, int64(n)), IoU: mean, Missed: metric.Ratio(good-truly, good)}
	}
	return out
}
