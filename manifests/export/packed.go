package export

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"io"
	"os"
	"path"
)

// carriedIn returns the CarryFiles in an archive that somebody made of an export: a tar, also compressed with gzip or bzip2, or a zip. What is no archive
// has none, and of one that is damaged those before the damage: whoever reads its pictures says what is wrong.
func carriedIn(name string) (texts [][]byte) {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() { // opening a pipe waits
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if z, err := zip.NewReader(f, st.Size()); err == nil {
		for _, m := range z.File {
			if path.Base(m.Name) == CarryFile {
				if r, err := m.Open(); err == nil {
					texts = whole(texts, r)
					r.Close()
				}
			}
		}
		return texts
	}
	t, err := openTar(f)
	if err != nil {
		return nil
	}
	for {
		h, err := t.Next()
		if err != nil {
			return texts
		}
		if h.Typeflag == tar.TypeReg && path.Base(h.Name) == CarryFile {
			texts = whole(texts, t)
		}
	}
}

// maxCarry bounds a CarryFile in an archive, in bytes: that of 156,000 pictures has 200 MB.
const maxCarry = 1 << 30

// whole adds a text that can be read to its end.
func whole(texts [][]byte, r io.Reader) [][]byte {
	if data, err := io.ReadAll(io.LimitReader(r, maxCarry+1)); err == nil && len(data) <= maxCarry {
		texts = append(texts, data)
	}
	return texts
}

// openTar unpacks what is packed; a plain tar is read by its heads alone.
func openTar(f *os.File) (*tar.Reader, error) {
	head := make([]byte, 3)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}): // RFC 1952
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return nil, err
		}
		return tar.NewReader(z), nil
	case string(head) == "BZh":
		return tar.NewReader(bzip2.NewReader(bufio.NewReader(f))), nil
	}
	return tar.NewReader(f), nil
}
