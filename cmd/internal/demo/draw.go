package demo

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"

	"hdseg/manifests"
)

// Draw draws the world that o describes into dir, which it makes, and returns where
// everything lies. dir must be absent, empty, or hold a world of equal options: what is
// missing or changed there is written again, the rest is left untouched. progress (may be
// nil) is told, in order and from one goroutine at a time, how many of all pictures are
// done. Pictures are drawn on all processors; the bytes do not depend on how many there
// are. The default world takes about two seconds of one core.
func Draw(dir string, o Options, progress func(done, total int)) (World, error) {
	if err := o.Validate(); err != nil {
		return World{}, err
	}
	d := &desk{dir: dir, o: o, kind: species[o.Class], world: newWorld(dir, o), ids: newIDBook(o), written: map[string]bool{}}
	if o.Faults {
		d.world.Planted = plantedFaults(d.ids, d.kind)
	}
	err := claim(dir, o)
	if err == nil {
		err = d.drawAll(progress)
	}
	if err == nil {
		err = alone(dir, d.written)
	}
	if err != nil {
		return World{}, fmt.Errorf("demo: %w", err)
	}
	return d.world, nil
}

// A shot is one picture to draw and the place that its files go to.
type shot struct {
	name   string // role/index: what the picture is a function of, beside the seed
	absent bool   // the class does not show
	put    func(p *picture, jpg []byte) error
}

// A desk is a world being drawn.
type desk struct {
	dir   string
	o     Options
	kind  build
	world World
	ids   idBook
	shots []shot
	after []func() error // what has to wait for all pictures: archives, and copies of them

	written map[string]bool // slash-separated paths of all files
}

// drawAll plans the files of every source, draws the pictures and finishes the files.
func (d *desk) drawAll(progress func(done, total int)) error {
	if err := d.planVOC(); err != nil {
		return err
	}
	d.planImageNet()
	d.planTest()
	d.planFaults()
	if err := d.shoot(progress); err != nil {
		return err
	}
	for _, finish := range d.after {
		if err := finish(); err != nil {
			return err
		}
	}
	return nil
}

// shoot draws the pictures in parallel and puts them down in order.
func (d *desk) shoot(progress func(done, total int)) error {
	n := newNoise(stream(d.o.Seed, "noise"))
	type drawn struct {
		p   *picture
		jpg []byte
	}
	draw := func(_ context.Context, i int) (drawn, error) {
		s := d.shots[i]
		r := stream(d.o.Seed, d.o.Class+"/"+s.name)
		p := drawScene(n, r, cast{d.o.Class, s.absent, d.o.LongPx, companions[d.o.Class]})
		var buf bytes.Buffer
		err := jpeg.Encode(&buf, p.img, &jpeg.Options{Quality: 72 + r.IntN(20)})
		return drawn{p, buf.Bytes()}, err
	}
	return manifests.Each(context.Background(), runtime.GOMAXPROCS(0), len(d.shots), draw, func(i int, v drawn, err error) error {
		if err == nil {
			err = d.shots[i].put(v.p, v.jpg)
		}
		if err == nil && progress != nil {
			progress(i+1, len(d.shots))
		}
		return err
	})
}

// write writes a file below the world's folder, whose path is slash-separated, unless it
// is there.
func (d *desk) write(name string, data []byte) error {
	d.written[name] = true
	file := filepath.Join(d.dir, filepath.FromSlash(name))
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}
