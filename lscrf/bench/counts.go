package bench

import (
	"fmt"
	"strconv"
	"strings"

	"hdseg/lscrf/tools/metric"
)

// Counts are the confusions of test images in their order, from which every score and every paired
// comparison follows. Their text form is the number of labels, ':', and the images' counts,
// separated by ';', of an image by ',' in the order of metric.Confusion.
type Counts []*metric.Confusion

// maxCount is more than any picture has pixels, and so little that sums over images do not
// overflow.
const maxCount = 1 << 40

// MarshalText returns the text form, "" without images.
func (c Counts) MarshalText() ([]byte, error) {
	if len(c) == 0 {
		return nil, nil
	}
	out := strconv.AppendInt(nil, int64(c[0].Labels), 10)
	for i, m := range c {
		out = append(out, ":;"[min(i, 1)])
		for j, n := range m.N {
			if j > 0 {
				out = append(out, ',')
			}
			out = strconv.AppendInt(out, n, 10)
		}
	}
	return out, nil
}

// UnmarshalText reads the text form.
func (c *Counts) UnmarshalText(text []byte) error {
	*c = nil
	if len(text) == 0 {
		return nil
	}
	head, body, _ := strings.Cut(string(text), ":")
	labels, err := strconv.Atoi(head)
	if err != nil || labels < 1 || labels >= metric.Void {
		return fmt.Errorf("counts: got %q labels, want 1..%d", head, metric.Void-1)
	}
	for image := range strings.SplitSeq(body, ";") {
		m := metric.NewConfusion(labels)
		fields := strings.Split(image, ",")
		if len(fields) != len(m.N) {
			return fmt.Errorf("counts: image %d: got %d numbers, want %d", len(*c), len(fields), len(m.N))
		}
		for j, f := range fields {
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil || n < 0 || n > maxCount {
				return fmt.Errorf("counts: image %d: got %q, want a count of pixels, 0..%d", len(*c), f, int64(maxCount))
			}
			m.N[j] = n
		}
		*c = append(*c, m)
	}
	return nil
}
