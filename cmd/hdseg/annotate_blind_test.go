package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hdseg/cmd/internal/demo"
	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests"
)

// TestPageBlind lets two people draw an image without seeing one another's mask, prints how far they agree, and lets a
// reviewer choose. It also makes the pictures of README: HDSEG_SCREENSHOTS=1 keeps them.
func TestPageBlind(t *testing.T) {
	longOnly(t)
	b := browsertest.Share(t)
	manifest := drawn(t)
	if os.Getenv("HDSEG_SCREENSHOTS") != "" { // larger pictures, and more of them
		o := demo.Options{Seed: 5, Class: "horse", Manual: 12, Others: 1, Boxes: 8, Labels: 6, Tests: 6, LongPx: 320}
		w, err := demo.Draw(filepath.Join(t.TempDir(), "sources"), o, func(int, int) {})
		try(t, err)
		manifest = filepath.Join(t.TempDir(), "set", "horseseg.yaml")
		must(t, "build", "-c", "horseseg", "--progress", "none", "--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar, "--test", w.TestDir, "--set", "bench.samples=50", "-o", filepath.Dir(manifest))
	}
	dir := filepath.Dir(manifest)
	s := serve(t, manifest, "127.0.0.1:0", "--annotators", "Ann,Ben", "--reviewers", "Rita", "--blind", "1")
	r, truth := pick(t, manifest, manifests.Train, manifests.Manual)
	p := open(t, b, s.address)
	for i, name := range []string{"Ann", "Ben"} {
		if i == 0 {
			p.login(name)
		} else {
			p.relogin(name)
		}
		p.edit(r.ID)
		if !eval[bool](p, "annotate.mask.isEmpty() && annotate.compare.choices().length === 0 && !annotate.detail.proposal") {
			t.Errorf("%s sees a mask that others drew", name)
		}
		p.do(bestCell)
		p.paint(truth, 0.8+0.05*float64(i), 40)
		p.press("\r", chromedp.ModifierCtrl)
		p.until("the submission", "annotate.key !== "+asJSON(t, r.ID))
	}
	var got struct {
		Rows []struct {
			A, B     string
			Images   int
			IoU      float64
			Boundary float64 `json:"boundary_f"`
			Kappa    float64
		}
	}
	try(t, json.Unmarshal([]byte(must(t, "annotate", "agree", "-i", manifest, "--json")), &got))
	if len(got.Rows) != 1 || got.Rows[0].A != "Ann" || got.Rows[0].Images != 1 || got.Rows[0].IoU < 0.6 || got.Rows[0].Kappa < 0.5 || got.Rows[0].Boundary <= 0 {
		t.Errorf("agreement: got %+v", got)
	}
	t.Logf("agreement: %+v", got.Rows)

	p.relogin("Rita")
	p.click("[data-action=agreement]")
	p.run(chromedp.WaitVisible(chromedp.CSS("dialog table")))
	if s := p.text("dialog"); !strings.Contains(s, "Ann, Ben") || !strings.Contains(s, fmt.Sprintf("%.3f", got.Rows[0].Kappa)) || !strings.Contains(s, "Both began with an empty mask") {
		t.Errorf("the page says of the agreement: %s", s)
	}
	p.click("dialog button.primary")
	p.edit(r.ID)
	p.until("the other mask", "annotate.compare.what && annotate.compare.pane.frame === 0")
	p.shot("review")
	p.do("(annotate.stale = true)")
	p.click(`[data-choose="Ben"]`)
	p.until("the choice", "!annotate.stale && annotate.detail.line.head === 1 && annotate.saver && annotate.pane.levels.length > 0")
	p.do("annotate.compare.show({ kind: 'tier', tier: 'manual' })")
	p.press("c")
	p.clickPixel(float64(truth.Width)*0.7, float64(truth.Height)*0.3)
	p.run(chromedp.WaitVisible(chromedp.CSS("dialog textarea")), chromedp.SendKeys(chromedp.CSS("dialog textarea"), "The ear is still missing."))
	p.click("dialog button.primary")
	p.until("the remark", "document.querySelector('.remarks').textContent.includes('missing')")
	p.press("1")
	p.until("cells", "annotate.tool.cells")
	sx, sy := p.at(float64(truth.Width)/2, float64(truth.Height)/2)
	p.mouse("mouseMoved", sx, sy, 0)
	p.shot("editor")
	p.press("\r", chromedp.ModifierCtrl)
	p.until("the acceptance", "annotate.key !== "+asJSON(t, r.ID))
	out := filepath.Join(dir, "reviewed.yaml")
	must(t, "annotate", "apply", "-i", manifest, "-o", out)
	must(t, "check", out)
	_, m, _, err := manifests.ReadFile(out)
	try(t, err)
	for i := range m.Records {
		if k, _ := m.Records[i].MaskOf(manifests.Manual); m.Records[i].ID == r.ID && k.WasAttributedTo != "Ben" {
			t.Errorf("the chosen mask is attributed to %q, want Ben, who drew it", k.WasAttributedTo)
		}
	}
	p.do("(location.hash = '')")
	p.until("thumbnails", "document.querySelectorAll('.card').length > 5 && [...document.querySelectorAll('.card img')].filter((i) => i.complete && i.naturalWidth > 0).length > 11")
	p.do("document.querySelector('.note')?.remove()")
	p.shot("queue")
	// What goes out to other tools comes back with the same pixels.
	for kind, path := range map[string]string{"labelme": "", "coco": "annotations.json", "cvat": "annotations.zip", "png": "masks"} {
		to := filepath.Join(t.TempDir(), kind)
		must(t, "annotate", "export", "-i", manifest, "--format", kind, "--to", to, "--split", "test")
		back := filepath.Join(dir, fmt.Sprintf("back-%s.yaml", kind))
		must(t, "annotate", "import", "-i", manifest, "--format", kind, "--masks", filepath.Join(to, path), "--by", "Ann", "--at", "2026-03-04T05:06:07Z", "--accept-unchanged", "-o", back)
		must(t, "check", back)
		_, m, _, err := manifests.ReadFile(back)
		try(t, err)
		n := 0
		for i := range m.Records {
			if k := m.Records[i].Masks; m.Records[i].Split == manifests.Test {
				if n++; len(k) != 2 || k[0].SHA256 != k[1].SHA256 {
					t.Errorf("%s: %s: the mask changed on the way", kind, m.Records[i].ID)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s: nothing was compared", kind)
		}
	}
}
