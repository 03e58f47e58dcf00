package ingest

import (
	"fmt"
	"path"
	"slices"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// The ways to treat a picture that shows several objects of the class.
const (
	ObjectUnion   = "union"   // all of them are figure
	ObjectLargest = "largest" // the one with most pixels is figure, the others are void
	ObjectAll     = "all"     // a record for each, in which the others are void
)

// vocLayers reads a class mask and, where objects are told apart, the object mask, in which the
// pixels of the k-th object of the annotation file have the number k. labels says what the pixels
// of the class mask mean, nil for VOC's own numbers. A picture without the class has no layer,
// unless it is ours.
func vocLayers(mask, objects entry, labels *format.LabelMap, class uint8, by string, ours bool) layerer {
	return func(opts *Options) ([]layer, error) {
		m, digest, err := readClasses(&mask, labels, class, opts)
		if err != nil {
			return nil, err
		}
		shown := m.Has(class)
		if !shown && !ours {
			return nil, nil
		}
		whole := layer{mask: m.Figure(class), persons: personsOf(m, labels, class), origin: mask.origin, tier: manifests.Manual, by: by,
			used: []manifests.Digest{digest}}
		if opts.Object == ObjectUnion || !shown {
			return []layer{whole}, nil
		}
		if objects.name == "" {
			return nil, &layerFault{"missing_object_mask", mask.origin,
				fmt.Errorf("object %s: SegmentationObject has no such file: add it, or use --object union (ingest.object)", opts.Object)}
		}
		own := false // numbers of objects that the annotation file does not know
		decode := format.DecodeIndexed
		if labels != nil { // another tool's
			decode = func(data []byte, lim raster.Limits) (m *format.Indexed, err error) {
				m, own, err = format.DecodeObjects(data, lim)
				return m, err
			}
		}
		o, objectDigest, err := readMask(&objects, opts.Limits, decode)
		if err != nil {
			return nil, err
		}
		if o.Width != m.Width || o.Height != m.Height {
			return nil, &layerFault{"mask_size", objects.origin,
				fmt.Errorf("size: got %d x %d, want the class mask's %d x %d", o.Width, o.Height, m.Width, m.Height)}
		}
		whole.used = append(whole.used, objectDigest)
		numbers, largest := instances(m, o, class)
		switch {
		case len(numbers) == 1:
			if !own {
				whole.object = numbers[0]
			}
			return []layer{whole}, nil
		case opts.Object == ObjectLargest:
			numbers = []int{largest}
		}
		var out []layer
		for _, k := range numbers {
			l := whole
			l.object, l.mask = k, single(whole.mask, o, uint8(k))
			if own {
				l.object = unknownObject
			}
			if opts.Object == ObjectAll {
				l.suffix = fmt.Sprintf("-%d", k)
			}
			out = append(out, l)
		}
		return out, nil
	}
}

// unknownObject is the object of a layer that has only its place in common with the annotation
// file.
const unknownObject = -1

// readClasses reads a mask of class numbers, which labels explains, nil for VOC's own.
func readClasses(mask *entry, labels *format.LabelMap, class uint8, opts *Options) (*format.Indexed, manifests.Digest, error) {
	decode := format.DecodeIndexed
	if labels != nil {
		decode = labels.Decode
	}
	m, digest, err := readMask(mask, opts.Limits, decode)
	if err == nil && labels == nil {
		if err := vocValues(m, class); err != nil {
			return nil, "", &layerFault{"bad_mask_values", mask.origin, err}
		}
	}
	return m, digest, err
}

// labelsOf reads the label map at, or of those in its folder the one that fits most masks, and the
// class's number in it; used is its origin. nil is a devkit of VOC's own. See format.LabelFolder.
func (l *lister) labelsOf(at *entry, all, masks []entry, where string) (used string, labels *format.LabelMap, class uint8, err error) {
	if at == nil {
		class, err = l.classNumber(nil, where)
		return "", nil, class, err
	}
	var folder format.LabelFolder
	for i := range all {
		if path.Dir(all[i].name) != path.Dir(at.name) {
			continue
		}
		data, err := all[i].readText(1 << 20)
		var m *format.LabelMap
		if err == nil {
			m, err = format.ParseLabelMap(all[i].name, data)
		}
		if err != nil {
			err = fmt.Errorf("ingest: %s: %w", all[i].origin, err)
		} else {
			_, err = l.classNumber(m, where)
		}
		folder.Add(all[i].origin, m, err)
	}
	labels, used, err = folder.Fit(l.class.Name, func(yield func([]byte) bool) {
		for i := range masks {
			if l.ctx.Err() != nil {
				return
			}
			if data, err := masks[i].read(l.opts.Limits.MaxBytes); err == nil && !yield(data) {
				return
			}
		}
	}, l.opts.Limits)
	if l.ctx.Err() != nil {
		return "", nil, 0, l.ctx.Err()
	}
	if err == nil {
		class, err = l.classNumber(labels, where)
	}
	return used, labels, class, err
}

// labelLayer reads a plain folder's mask of the labels of a map. A picture without the class has no
// layer.
func labelLayer(mask entry, labels *format.LabelMap, class uint8) layerer {
	return func(opts *Options) ([]layer, error) {
		m, digest, err := readClasses(&mask, labels, class, opts)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(m.Pix, func(v uint8) bool { return v > 0 && v < format.VOCVoid }) && m.Has(format.VOCVoid) {
			return nil, &layerFault{"bad_mask_values", mask.origin, fmt.Errorf("got background and void alone by %s: if 255 is "+
				"figure in these masks, move that file away", labels.File)}
		}
		if !m.Has(class) {
			return nil, nil
		}
		return []layer{{mask: m.Figure(class), persons: personsOf(m, labels, class), origin: mask.origin, tier: manifests.Manual,
			used: []manifests.Digest{digest}}}, nil
	}
}

// personsOf returns where a class mask shows persons, nil where it shows none or they are the
// class.
func personsOf(m *format.Indexed, labels *format.LabelMap, class uint8) *raster.Mask {
	number := uint8(VOCNumber("person"))
	if labels != nil {
		number, _ = labels.Number("person") // 0 if it has none
	}
	if number == 0 || number == class || !m.Has(number) {
		return nil
	}
	return m.Figure(number)
}

// vocValues refuses class masks with values that VOC does not have, as they come from converting a
// palette mask to grey: 0 to 20, void, and for data sets of its kind with more classes as many as
// the wanted one's number.
func vocValues(m *format.Indexed, class uint8) error {
	last := max(class, 20)
	for i, v := range m.Pix {
		if v > last && v != format.VOCVoid {
			return fmt.Errorf("pixel (%d, %d) has value %d, want class indexes 0 to %d or %d for void: was the palette "+
				"lost?", i%m.Width, i/m.Width, v, last, format.VOCVoid)
		}
	}
	return nil
}

// instances lists the numbers of the objects that have pixels of the class, ascending, and the one
// with most.
func instances(m, o *format.Indexed, class uint8) (numbers []int, largest int) {
	var area [256]int
	for i, v := range m.Pix {
		if v == class {
			area[o.Pix[i]]++
		}
	}
	area[0], area[format.VOCVoid] = 0, 0 // pixels of the class that belong to no object
	for k, a := range area {
		if a > 0 {
			numbers = append(numbers, k)
			if a > area[largest] {
				largest = k
			}
		}
	}
	return numbers, largest
}

// single keeps one object as figure and makes the rest of the figure void.
func single(whole *raster.Mask, o *format.Indexed, number uint8) *raster.Mask {
	out := raster.NewMask(whole.Width, whole.Height)
	for i, v := range whole.Pix {
		if v == raster.Figure && o.Pix[i] != number {
			v = raster.Void
		}
		out.Pix[i] = v
	}
	return out
}
