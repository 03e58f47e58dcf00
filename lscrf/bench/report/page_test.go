package report

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests/raster"
)

// page is a full report on two classes.
func page() *Page {
	p := &Page{Title: "Horses & dogs", Benches: []*bench.Table{table("horse", 40, 1), table("dog", 40, 2)},
		Facts: []Fact{{"command", "hdseg bench -i horseseg.yaml"}, {"manifest", "sha256:" + strings.Repeat("0123456789abcdef", 4)}}, Settings: "dataset: horseseg\n"}
	p.Differences = must(Differences(context.Background(), 200, 1, p.Benches...))
	p.Changes = must(Compare(context.Background(), table("horse", 40, 3), p.Benches[0], 200, 1))
	curve := func(name string, color int) Series {
		return Series{Name: name, Color: color, Points: []Point{{8, 70, 68, 72}, {64, 76, 75, 77}, {256, 79, 78, 80}}}
	}
	p.Studies = []Section{{Title: "Learning curves", Text: []string{"Over the number of images."}, Plots: []*Plot{Curves("Accuracy", "images", "%", []Series{curve("manual", 0), curve("bbox", 1)})}}}
	img := raster.NewRGB(48, 32)
	mask := raster.NewMask(48, 32)
	for y := 8; y < 24; y++ {
		for x := 10; x < 38; x++ {
			mask.Set(x, y, raster.Figure)
		}
	}
	mask.Set(0, 0, raster.Void)
	for _, note := range []string{"best, IoU 0.93", "median, IoU 0.71", "worst, IoU 0.02"} {
		p.Pictures = append(p.Pictures, Picture{"n02374451_" + note[:4], note, []Panel{NewPanel("picture", img, nil), NewPanel("true", img, mask), NewPanel("predicted", img, mask)}})
	}
	return p
}

func html(t *testing.T, p *Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPageShowsTheTable(t *testing.T) {
	p := page()
	got := string(html(t, p))
	r := p.Benches[0].Rows[0]
	for _, want := range []string{
		"Horses &amp; dogs", "(b) manual &#43; bbox", "<b>" + r.PerClassPooled.Format(1) + "</b>", "[" + r.PerClassPooledCI[0].Format(1) + ", ",
		"true majority", "<dt>p</dt>", "<dt>boundary F</dt>", `class="better"`, "data:image/jpeg;base64,", "worst, IoU 0.02", "<svg", "ground → figure", "Learning curves", "dataset: horseseg",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	// one name for one thing, and no word is explained that the page does not have
	if strings.Contains(strings.ToLower(got), "oracle") {
		t.Error("the page speaks of an oracle")
	}
	few := string(html(t, &Page{Title: "x", Studies: []Section{{Title: "s", Head: []string{"IoU"}}, {Title: "t", Head: []string{"IoU"}, Rows: [][]string{{"1"}}}}}))
	if !strings.Contains(few, "<dt>IoU</dt>") || strings.Contains(few, "<dt>p</dt>") || strings.Contains(few, "<dt>tier</dt>") {
		t.Errorf("a page of IoU alone explains other words:\n%s", few)
	}
	if strings.Contains(got, "predict ms") {
		t.Error("the page has times, though none were asked for")
	}
	if again := html(t, page()); !bytes.Equal([]byte(got), again) {
		t.Error("equal pages have different bytes")
	}
	p.Times = true
	if !strings.Contains(string(html(t, p)), "predict ms") {
		t.Error("the page has no times, though they were asked for")
	}
	for _, address := range []string{"src=\"http", "href=\"http", "url(", "@import", "<script"} {
		if strings.Contains(got, address) {
			t.Errorf("the page has %q", address)
		}
	}
}

func TestPaperStandsBesideComparableDataOnly(t *testing.T) {
	b := table("horse", 40, 1)
	if s := Paper(Beside{Table: b}); s != nil {
		t.Errorf("100 training images: got %+v, want nothing", s)
	}
	for i := range b.Rows {
		b.Rows[i].Images = 147
	}
	s := Paper(Beside{b, Conditions{Train: lscrf.TrainDefaults()}})
	if s == nil || len(s.Rows) != 2 || s.Rows[1][4] != "83.8" || !strings.Contains(s.Text[0], "adds 4 times the node regressor's cost") || !strings.Contains(s.Text[1], "no rows under none") {
		t.Errorf("147 VOC images: got %+v", s)
	}
	none := b.Rows[0]
	none.Balance = "none"
	other := b.Rows[1]
	other.Balance = "none"
	b.OtherBalances = []bench.Row{none, other}
	s = Paper(Beside{Table: b}) // no unary weight, both orientations
	if len(s.Rows) != 3 || s.Rows[1][0] != "linear, none" || strings.Contains(s.Text[0], "unaryWeight") || strings.Contains(s.Text[1], "no rows") {
		t.Errorf("with the other balance and without the node's cost: got %+v", s)
	}
}

// TestPaperOfSeveralTablesSaysOnceWhatDiffers: of all, of a kind of models, and of a class.
func TestPaperOfSeveralTablesSaysOnceWhatDiffers(t *testing.T) {
	beside := func(class string, images int, kind string, set string, shared bool) Beside {
		b := tableOf([]string{"manual"}, []string{kind}, 40, 1)
		b.Oracle.Class = class
		for i := range b.Rows {
			b.Rows[i].Class, b.Rows[i].Images = class, images
		}
		c := Conditions{Train: lscrf.TrainDefaults()}
		c.Setup.Feature.Set = set
		if shared {
			c.Train.Trees.Leaves, c.Train.Trees.Trees = boost.Shared, 300
		}
		return Beside{b, c}
	}
	s := Paper(beside("horse", 147, lscrf.Linear, feature.Draft, false), beside("horse", 147, lscrf.Trees, feature.Saliency, true),
		beside("dog", 249, lscrf.Linear, feature.Draft, false), beside("dog", 249, lscrf.Trees, feature.Saliency, true))
	if len(s.Rows) != 6 || s.Rows[0][0] != "horse" || s.Rows[5][4] != "80.8" {
		t.Errorf("got rows %q", s.Rows)
	}
	for _, want := range []string{
		"the same 147 (horse) and 249 (dog) of VOC 2012", "What differs: its trees are MatrixNet's",
		"; horse, linear and horse, trees: the paper's 241 test images", "; dog, linear and dog, trees: the paper's 306 test images",
		"; horse, trees and dog, trees: our features are the draft set and 42 values more", ": our trees are 300 that all labels or label pairs share and not the paper's 500",
	} {
		if strings.Count(s.Text[0], want) != 1 {
			t.Errorf("%q does not stand once in %s", want, s.Text[0])
		}
	}
	if strings.Count(s.Text[0], "train.unaryWeight") != 1 {
		t.Errorf("what is common stands more than once in %s", s.Text[0])
	}
	s = Paper(beside("dog", 249, lscrf.Trees, feature.Draft, false))
	if strings.Contains(s.Text[0], "our trees") || strings.Contains(s.Text[0], "42 values") || s.Rows[0][0] != "trees, paper" {
		t.Errorf("trees and features are the paper's: got %+v", s)
	}
}

func TestEmptyTable(t *testing.T) {
	b := table("horse", 0, 1)
	got := string(html(t, &Page{Title: "empty", Benches: []*bench.Table{b}, Differences: must(Differences(t.Context(), 100, 1, b))}))
	if !strings.Contains(got, "no test images") || strings.Contains(got, "NaN") {
		t.Error("a table without test images is not shown as one")
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	Markdown(&b, page())
	for _, want := range []string{"| tiers | model | horse unary | horse pairwise | dog unary | dog pairwise |", "| (a) manual | linear | ", "## What is better"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%.800s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "| (a)") && strings.Count(line, "|") != 7 {
			t.Errorf("a line with other than 6 cells: %s", line)
		}
	}
}

func TestPanelIsSmallAndDrawn(t *testing.T) {
	img := raster.NewRGB(600, 300)
	mask := raster.NewMask(600, 300)
	for i := range mask.Pix {
		mask.Pix[i] = raster.Figure
	}
	p := NewPanel("true", img, mask)
	if p.Width != panelSide || p.Height != panelSide/2 {
		t.Errorf("got %d x %d, want %d x %d", p.Width, p.Height, panelSide, panelSide/2)
	}
	got, _, err := raster.Decode(p.JPEG, raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	// Black under green is (0, 127, 0); JPEG loses a little.
	if r, g, b := got.At(50, 50); r > 6 || g < 120 || g > 134 || b > 6 {
		t.Errorf("got (%d, %d, %d), want about (0, 127, 0)", r, g, b)
	}
}

func TestMixesHaveTitles(t *testing.T) {
	for key, want := range map[string]string{
		"manual,bbox":        "(b) manual + bbox",
		"external:sam,label": "external:sam + label",
	} {
		if got := mixTitle(key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}
