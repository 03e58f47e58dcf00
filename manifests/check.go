package manifests

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// CheckOptions say what Check looks at beyond manifest and digests. What a nil hook would look at
// is not checked.
type CheckOptions struct {
	Workers int  // at least one is used
	Deep    bool // also decode every image with Decode: about 20 times the work
	// store paths of files that are needed though no manifest names them, see Unnamed; may be nil
	Spare map[string]bool

	// Format returns the format of an image file by its content, "" for none that it knows.
	Format func(data []byte) string
	// Size returns the upright size of an image file from its head, by the record's EXIF
	// orientation.
	Size func(data []byte, orientation int) (width, height int, err error)
	// Decode returns the upright size and the digest of the decoded RGB bytes.
	Decode func(data []byte, orientation int) (width, height int, pixels Digest, err error)
	// DecodeMask returns a mask's size and its numbers of pixels 0, 1 and 255, which add up to less
	// than width*height if it has others.
	DecodeMask func(data []byte) (width, height, ground, figure, void int, err error)

	Progress func(done, total int) // called after each record; may be nil
}

// Check derives every invariant of a manifest again and lists all faults: of the form of index and
// parts, of values, order and ids, between records (nothing of the test split is in the training
// split or voted for a mask), of the manifests that it was made from, of SHA256SUMS, and of the
// image and mask files. They are in the order of the files and records. An error is for what keeps
// it from checking: there is no index, or ctx has ended.
func Check(ctx context.Context, s *Store, name string, opts CheckOptions) ([]Fault, error) {
	m, sum, faults, err := readSettled(s, name, true)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	faults = append(faults, m.relations(!slices.ContainsFunc(faults, unread))...)
	lineage, sound, err := checkLineage(ctx, s, name, m, opts.Workers)
	if err != nil {
		return nil, err
	}
	faults = append(faults, lineage...)
	_, ix, err := readIndex(s, name)
	parts := ix.files()
	listed, found := checkSums(s, name, sum, m, parts, sound)
	faults = append(faults, found...)
	if found, err := checkListed(ctx, s, listed, opts); err != nil {
		return nil, err
	} else {
		faults = append(faults, found...)
	}
	if err == nil { // else that is reported of the index
		faults = append(faults, checkParts(s, name, parts)...)
	}
	err = Each(ctx, opts.Workers, len(m.Records), func(_ context.Context, i int) ([]Fault, error) {
		c := checker{s: s, opts: opts, id: m.Records[i].ID}
		return c.record(&m.Records[i]), nil
	}, func(i int, found []Fault, err error) error {
		if p := (*PanicError)(nil); errors.As(err, &p) {
			found = append(found, fault(m.Records[i].ID, FaultDecode, "a decoder panics: %v", p.Value))
		}
		faults = append(faults, found...)
		if opts.Progress != nil {
			opts.Progress(i+1, len(m.Records))
		}
		return nil
	})
	return faults, err
}

// unread tells whether f means that a record was not read, so that those that name it are unproven.
func unread(f Fault) bool {
	switch f.Kind {
	case FaultSyntax, FaultUnknownKey, FaultRepeatedKey, FaultMissingKey, FaultQuotes, FaultSchema, FaultPart, FaultPartCount:
		return true
	}
	return false
}

// A checker looks at the files of one record.
type checker struct {
	s      *Store
	opts   CheckOptions
	id     string
	faults []Fault
}

func (c *checker) rep(kind, format string, args ...any) {
	c.faults = append(c.faults, fault(c.id, kind, format, args...))
}

func (c *checker) record(r *Record) []Fault {
	if data, ok := c.file(r.Image.Path, r.Image.SHA256); ok {
		c.image(&r.Image, data)
	}
	for i := range r.Masks {
		k := &r.Masks[i]
		if data, ok := c.file(k.Path, k.SHA256); ok {
			c.mask(k, &r.Image, data)
		}
	}
	return c.faults
}

// file reads a file and compares its digest. ok means that its contents are worth a look.
func (c *checker) file(p string, want Digest) (data []byte, ok bool) {
	if !validFile(p) || !validDigest(want) {
		return nil, false // a fault of the record
	}
	data, err := c.s.Read(p, "")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.rep(FaultFile, "%s: the file is missing", p)
	case err != nil:
		c.rep(FaultFile, "%s: %v", p, err)
	case Sum(data) != want:
		c.rep(FaultFileDigest, "%s: %s", p, changed(data, want))
	default:
		return data, true
	}
	return nil, false
}

func (c *checker) image(m *Image, data []byte) {
	if c.opts.Format != nil {
		if got := c.opts.Format(data); got != "" && got != m.Format {
			c.rep(FaultFormat, "%s: the file is %s, want %s", m.Path, got, m.Format)
		}
	}
	var w, h int
	var pixels Digest
	var err error
	switch {
	case c.opts.Deep && c.opts.Decode != nil:
		w, h, pixels, err = c.opts.Decode(data, m.Orientation)
	case c.opts.Size != nil:
		w, h, err = c.opts.Size(data, m.Orientation)
	default:
		return
	}
	switch {
	case err != nil:
		c.rep(FaultDecode, "%s: %v", m.Path, err)
	case w != m.Width || h != m.Height:
		c.rep(FaultSize, "%s: got %d x %d pixels, want %d x %d", m.Path, w, h, m.Width, m.Height)
	case pixels != "" && m.Pixels != "" && pixels != m.Pixels:
		c.rep(FaultPixels, "%s: decodes to other pixels: got sha256 %s, want %s", m.Path, pixels.Short(), m.Pixels.Short())
	}
}

func (c *checker) mask(k *Mask, m *Image, data []byte) {
	if c.opts.DecodeMask == nil {
		return
	}
	w, h, ground, figure, void, err := c.opts.DecodeMask(data)
	if err != nil {
		c.rep(FaultDecode, "%s: %v", k.Path, err)
		return
	}
	if w != m.Width || h != m.Height {
		c.rep(FaultSize, "%s: got a mask of %d x %d pixels, want the image's %d x %d", k.Path, w, h, m.Width, m.Height)
	}
	if n := w*h - ground - figure - void; n != 0 {
		c.rep(FaultMaskValues, "%s: %d pixels have another value than 0, 1 and 255", k.Path, n)
	}
	if figure != k.Figure || void != k.Void {
		c.rep(FaultMaskCounts, "%s: got %d figure and %d void pixels, want %d and %d", k.Path, figure, void, k.Figure, k.Void)
	}
}
