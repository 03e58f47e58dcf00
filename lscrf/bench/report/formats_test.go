package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
)

// columns of the tables for people, in their order after the row's name, by their name in JSON and their decimals.
var columns = []struct {
	name     string
	decimals int
	ci       bool
}{
	{"per_class_pooled", 1, true}, {"per_class_mean", 1, true}, {"pixel", 1, true}, {"iou_pooled", 3, true}, {"iou_mean", 3, true},
	{"boundary_f", 3, true}, {"images", 0, false}, {"train_seconds", 2, false}, {"predict_ms", 2, true},
}

// What is measured stands in JSON, CSV, HTML and Markdown with the same values and intervals.
func TestAllFormatsSayTheSame(t *testing.T) {
	p := &Page{Title: "t", Benches: []*bench.Table{tableOf([]string{"manual", "bbox"}, lscrf.Kinds(), 12, 4)}, Options: Options{Times: true}}
	b := p.Benches[0]
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Rows   []map[string]any `json:"rows"`
		Oracle map[string]any   `json:"oracle"`
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	rows := append(table.Rows, table.Oracle)

	var text bytes.Buffer
	if err := CSV(&text, b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(lines) != len(rows)+1 {
		t.Fatalf("CSV: got %d lines and %v, want %d", len(lines), err, len(rows)+1)
	}
	checked := 0
	for i, r := range rows {
		for j, name := range lines[0] {
			var want any
			switch key, low := strings.CutSuffix(name, "_low"); {
			case low:
				want = r[key+"_ci"].([]any)[0]
			case strings.HasSuffix(name, "_high"):
				want = r[strings.TrimSuffix(name, "_high")+"_ci"].([]any)[1]
			default:
				want = r[name]
			}
			v, ok := want.(float64)
			if !ok {
				continue // names of the row
			}
			got, err := strconv.ParseFloat(lines[i+1][j], 64)
			if err != nil || got-v > 0.0006 || v-got > 0.0006 {
				t.Errorf("CSV line %d, %s: got %q, want %v", i+1, name, lines[i+1][j], v)
			}
			checked++
		}
	}
	if want := len(rows) * 24; checked != want {
		t.Errorf("CSV: compared %d numbers, want %d: images, test images, seven scores with their intervals, and seconds", checked, want)
	}

	var md bytes.Buffer
	Markdown(&md, p)
	inMarkdown := cellsOf(md.String(), `(?m)^\| (.*?) ?\|$`, " | ")
	inHTML := cellsOf(string(html(t, p)), `<tr><td>(.*)</td></tr>`, "</td><td>")
	for i, r := range rows {
		want := []string{"true majority"}
		if i < len(b.Rows) {
			row := b.Rows[i]
			want = []string{lscrf.Mix(row.Tiers).String() + ", " + row.Model + ", " + row.Terms}
		}
		for _, c := range columns {
			if i == len(b.Rows) && (c.name == "images" || c.name == "train_seconds" || c.name == "predict_ms") {
				want = append(want, "") // it is not trained
				continue
			}
			cell := strconv.FormatFloat(r[c.name].(float64), 'f', c.decimals, 64)
			if c.ci {
				ci := r[c.name+"_ci"].([]any)
				cell += fmt.Sprintf(" [%.*f, %.*f]", c.decimals, ci[0], c.decimals, ci[1])
				if c.name != "predict_ms" && ci[0] == ci[1] {
					t.Errorf("row %d, %s: the interval is empty, nothing is tested", i, c.name)
				}
			}
			want = append(want, cell)
		}
		for where, got := range map[string][][]string{"Markdown": inMarkdown, "HTML": inHTML} {
			if !slices.ContainsFunc(got, func(line []string) bool { return slices.Equal(line, want) }) {
				t.Errorf("%s has no row %q", where, want)
			}
		}
	}
}

// cellsOf returns the cells of all table rows of a text.
func cellsOf(text, row, between string) [][]string {
	var out [][]string
	for _, m := range regexp.MustCompile(row).FindAllStringSubmatch(strings.NewReplacer("&#43;", "+", "<small>", "", "</small>", "").Replace(text), -1) {
		out = append(out, strings.Split(m[1], between))
	}
	return out
}
