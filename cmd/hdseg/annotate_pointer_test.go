package main

import (
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hdseg/lscrf/bench/report/browsertest"
	"hdseg/manifests/raster"
)

// blank opens an editor on a picture of 300 x 200 pixels, on which Ann works alone. It saves only when a test says so.
func blank(t *testing.T) *tab {
	t.Helper()
	b := browsertest.Share(t)
	s := serve(t, made(t, []picture{{"blank", jpegOf(t, image.NewGray(image.Rect(0, 0, 300, 200))), 300, 200, 1}}), "127.0.0.1:0", "--annotators", "Ann")
	p := open(t, b, s.address)
	p.login("Ann")
	p.edit("blank")
	p.hold()
	return p
}

type spot struct{ x, y float64 } // a pixel of the picture

// fingers sends one touch event with all fingers that are down then.
func (p *tab) fingers(kind input.DispatchTouchEventType, spots ...spot) {
	p.t.Helper()
	points := []*input.TouchPoint{}
	for i, s := range spots {
		x, y := p.at(s.x, s.y)
		id := float64(i + 1)
		points = append(points, &input.TouchPoint{X: x, Y: y, ID: &id})
	}
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		return err
	}))
}

func (p *tab) tap(x, y float64) {
	p.fingers(input.DispatchTouchEventTypeTouchStart, spot{x, y})
	p.fingers(input.DispatchTouchEventTypeTouchEnd)
}

// pen draws with a pen from one pixel to another.
func (p *tab) pen(from, to spot) {
	p.t.Helper()
	send := func(kind input.DispatchMouseEventType, s spot, buttons int64) {
		x, y := p.at(s.x, s.y)
		p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			q := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1, PointerType: input.DispatchMouseEventPointerTypePen}
			_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, q)
			return err
		}))
	}
	send(input.DispatchMouseEventTypeMousePressed, from, 1)
	send(input.DispatchMouseEventTypeMouseMoved, to, 1)
	send(input.DispatchMouseEventTypeMouseReleased, to, 0)
}

// wantMask compares a few pixels of the mask in the editor.
func (p *tab) wantMask(when string, want map[spot]uint8) {
	p.t.Helper()
	m := p.mask()
	for s, v := range want {
		if got := m.At(int(s.x), int(s.y)); got != v {
			p.t.Errorf("%s: pixel (%g, %g): got %d, want %d", when, s.x, s.y, got, v)
		}
	}
}

func (p *tab) points() int { return eval[int](p, "annotate.tool.points.length") }

// TestPageTouch paints with one finger, and moves and zooms with two, which leave nothing behind in any tool.
func TestPageTouch(t *testing.T) {
	longOnly(t)
	const start, move, end = input.DispatchTouchEventTypeTouchStart, input.DispatchTouchEventTypeTouchMove, input.DispatchTouchEventTypeTouchEnd
	p := blank(t)
	p.press("2")
	p.do("(annotate.settings.brush = 10)")
	p.fingers(start, spot{50, 50})
	p.fingers(move, spot{100, 50})
	p.fingers(end)
	p.wantMask("one finger", map[spot]uint8{{50, 50}: 1, {75, 50}: 1, {100, 50}: 1, {75, 70}: 0})
	painted := p.mask()

	for _, tool := range []string{"1", "2", "3", "4", "5", "6", "8", "9"} {
		p.press(tool)
		p.do("annotate.view.fit()")
		before := eval[float64](p, "annotate.view.scale")
		p.fingers(start, spot{120, 100})
		p.fingers(start, spot{120, 100}, spot{180, 100})
		p.fingers(move, spot{100, 100}, spot{200, 100})
		p.fingers(move, spot{20, 20}) // one finger is lifted; the other, which is still down, draws nothing
		p.fingers(end)
		if scale := eval[float64](p, "annotate.view.scale"); scale < 1.3*before {
			t.Errorf("tool %s: two fingers that part: scale %.2f after %.2f, want a larger one", tool, scale, before)
		}
		if string(p.mask().Pix) != string(painted.Pix) || eval[bool](p, "document.querySelector('dialog[open]') !== null || annotate.waiting > 0") {
			t.Errorf("tool %s: a pinch did more than to zoom", tool)
		}
		if tool == "4" {
			if n := p.points(); n != 0 {
				t.Errorf("a pinch left %d vertices", n)
			}
		}
	}
	p.do("annotate.view.fit()")
	p.press("4")
	p.tap(150, 100)
	p.tap(250, 100)
	p.fingers(start, spot{250, 100}) // takes hold of a vertex and moves it before the second finger comes
	p.fingers(move, spot{280, 150})
	p.fingers(start, spot{280, 150}, spot{200, 150})
	p.fingers(end)
	if got := eval[[]float64](p, "annotate.tool.points.flatMap((q) => [q.x, q.y])"); len(got) != 4 || math.Abs(got[2]-250) > 1 || math.Abs(got[3]-100) > 1 {
		t.Errorf("vertices after a pinch: got %v, want those from before it", got)
	}
	p.do("annotate.view.fit()")
	p.tap(250, 180)
	p.tap(150, 100) // the first one: closes
	p.wantMask("polygon by taps", map[spot]uint8{{230, 130}: 1, {160, 170}: 0})
}

// TestPagePen paints with a pen; from then on a finger, which may be a resting hand, only moves the picture.
func TestPagePen(t *testing.T) {
	p := blank(t)
	p.press("2")
	p.do("(annotate.settings.brush = 10)")
	p.pen(spot{50, 50}, spot{100, 50})
	p.wantMask("pen", map[spot]uint8{{50, 50}: 1, {75, 50}: 1, {100, 50}: 1, {75, 70}: 0})
	painted := p.mask()
	x := eval[float64](p, "annotate.view.x")
	p.fingers(input.DispatchTouchEventTypeTouchStart, spot{150, 150})
	p.fingers(input.DispatchTouchEventTypeTouchMove, spot{170, 150})
	p.fingers(input.DispatchTouchEventTypeTouchEnd)
	if string(p.mask().Pix) != string(painted.Pix) {
		t.Error("a finger painted beside a pen")
	}
	if now := eval[float64](p, "annotate.view.x"); now <= x {
		t.Errorf("a finger moved the picture from %g to %g, want to the right", x, now)
	}
	p.press("1")
	p.until("cells", "annotate.tool.cells")
	p.press(kb.Delete)
	p.pen(spot{150, 100}, spot{151, 100})
	p.wantMask("pen on superpixels", map[spot]uint8{{150, 100}: 1})
}

// TestPagePolygon draws a polygon, edits its vertices before it is filled, and cuts a hole.
func TestPagePolygon(t *testing.T) {
	longOnly(t)
	p := blank(t)
	p.press("4")
	drag := func(from, to spot) {
		x, y := p.at(from.x, from.y)
		p.mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
		x, y = p.at(to.x, to.y)
		p.mouse(input.DispatchMouseEventTypeMouseMoved, x, y, 1)
		p.mouse(input.DispatchMouseEventTypeMouseReleased, x, y, 0)
	}
	wantPoints := func(when string, want ...float64) {
		t.Helper()
		got := eval[[]float64](p, "annotate.tool.points.flatMap((q) => [Math.round(q.x), Math.round(q.y)])")
		if !slices.Equal(got, want) {
			t.Errorf("%s: got vertices %v, want %v", when, got, want)
		}
	}
	for _, s := range []spot{{50, 50}, {150, 50}, {150, 150}, {50, 150}, {20, 20}} {
		p.clickPixel(s.x, s.y)
	}
	wantPoints("five clicks", 50, 50, 150, 50, 150, 150, 50, 150, 20, 20)
	p.press(kb.Backspace)
	wantPoints("Backspace", 50, 50, 150, 50, 150, 150, 50, 150)
	drag(spot{150, 50}, spot{200, 50})
	wantPoints("a vertex dragged", 50, 50, 200, 50, 150, 150, 50, 150)
	drag(spot{100, 150}, spot{100, 180}) // on the side between the third and the fourth
	wantPoints("a side dragged", 50, 50, 200, 50, 150, 150, 100, 180, 50, 150)
	p.clickPixel(50, 100) // the side that closes it
	wantPoints("a side clicked", 50, 50, 200, 50, 150, 150, 100, 180, 50, 150, 50, 100)
	if !eval[bool](p, "annotate.mask.isEmpty()") {
		t.Error("the mask changed before the polygon was filled")
	}
	p.press("\r")
	p.wantMask("filled", map[spot]uint8{{60, 60}: 1, {180, 55}: 1, {100, 170}: 1, {100, 120}: 1, {180, 120}: 0, {40, 40}: 0, {60, 175}: 0})
	wantPoints("after Enter")

	filled := p.mask()
	for _, s := range []spot{{80, 80}, {120, 80}, {120, 120}, {80, 120}} {
		p.clickPixel(s.x, s.y)
	}
	p.clickPixel(80, 80, chromedp.ButtonModifiers(chromedp.ModifierShift)) // the first vertex with Shift cuts out
	p.wantMask("cut out", map[spot]uint8{{100, 100}: 0, {70, 70}: 1, {130, 100}: 1})
	p.press("z")
	if string(p.mask().Pix) != string(filled.Pix) {
		t.Error("undo does not take the hole back as one step")
	}
	// Vertices are work, too: other tools leave them, and going on asks for them first.
	for _, s := range []spot{{80, 80}, {120, 80}, {120, 120}} {
		p.clickPixel(s.x, s.y)
	}
	p.press("z")
	wantPoints("undo takes a vertex back", 80, 80, 120, 80)
	p.press("2")
	for _, key := range []string{"d", "a", "q", "\r"} {
		m := []chromedp.Modifier{}
		if key == "\r" {
			m = append(m, chromedp.ModifierCtrl)
		}
		p.press(key, m...)
		if got := p.text(".note"); !strings.Contains(got, "The polygon is not filled yet. Enter fills it, Delete drops it.") || !eval[bool](p, "annotate.tool.name === 'polygon'") {
			t.Errorf("%q with an open polygon: the page says %q", key, got)
		}
		p.do("document.querySelector('.note')?.remove()")
	}
	wantPoints("after all that", 80, 80, 120, 80)
	p.press(kb.Delete)
	wantPoints("dropped")
	p.press("z")
	wantPoints("undo brings them back", 80, 80, 120, 80)
	p.press(kb.Escape)
	wantPoints("Escape takes a vertex back", 80, 80)
	p.press(kb.Delete)
	if string(p.mask().Pix) != string(filled.Pix) {
		t.Error("dropping a polygon changed the mask")
	}
	// What a polygon covers is what lies inside, by pixel centers: 10 x 20 pixels.
	p.press(kb.Delete)
	p.do("annotate.view.zoomAt(0, 0, 4)")
	p.do("annotate.view.center(105, 60)")
	for _, s := range []spot{{100, 50}, {110, 50}, {110, 70}, {100, 70}} {
		p.clickPixel(s.x, s.y)
	}
	p.press("\r")
	if m := p.mask(); areaOf(m) < 9*19 || areaOf(m) > 11*21 {
		t.Errorf("a box of 10 x 20: got %d pixels", areaOf(m))
	}
}

func areaOf(m *raster.Mask) int {
	_, figure, _ := m.Areas()
	return figure
}
