package ingest

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"
)

// An archiveType is what a file's first bytes say that it is.
type archiveType int

const (
	notArchive archiveType = iota
	tarArchive
	zipArchive
	gzipArchive    // a tar, most often
	bzip2Archive   // as well
	foreignArchive // of a format that is not read
)

// foreignArchives are the first bytes of what is refused by name.
var foreignArchives = []struct{ magic, name string }{
	{"\xfd7zXZ\x00", "xz"}, {"7z\xbc\xaf\x27\x1c", "7z"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"Rar!\x1a\x07", "rar"},
	{"LZIP\x01", "lzip"}, {"\x1f\x9d", "compress"},
}

// kindOf tells an archive by its first 512 bytes.
func kindOf(head []byte) archiveType {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzipArchive
	case len(head) >= 10 && string(head[:3]) == "BZh" && (string(head[4:10]) == "1AY&SY" ||
		string(head[4:10]) == "\x17\x72\x45\x38\x50\x90"):
		return bzip2Archive
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return zipArchive
	case foreignName(head) != "":
		return foreignArchive
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return tarArchive
	case len(head) == 512 && isZero(head):
		return tarArchive // an empty archive: nothing but end blocks
	case len(head) == 512:
		// Tars of before POSIX have no magic; the checksum decides.
		if _, err := tar.NewReader(bytes.NewReader(head)).Next(); err == nil {
			return tarArchive
		}
	}
	return notArchive
}

// foreignName names the format of an archive that is not read, "" for other files.
func foreignName(head []byte) string {
	for _, f := range foreignArchives {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.name
		}
	}
	return ""
}

// looksLikeArchive tells whether a file's name promises an archive: one that is none is a fault.
func looksLikeArchive(name string) bool {
	n := strings.ToLower(path.Base(name))
	return slices.ContainsFunc([]string{".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz", ".tbz2", ".zip"},
		func(s string) bool { return strings.HasSuffix(n, s) })
}

// mayBeArchive tells by its name whether a file is opened to look at its first bytes.
func mayBeArchive(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return !pictureName(name) && !slices.Contains(foreignExtensions, ext) && !slices.Contains(plainExtensions, ext)
}

// plainExtensions are those of annotations and documents, some of which are archives inside.
var plainExtensions = []string{".xml", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".md", ".html",
	".pdf", ".bin", ".mat", ".npy", ".npz",
	".h5", ".hdf5", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".jar", ".svgz", ".py", ".m"}

// hiddenFile tells whether a file hides: by its own name, or in a folder of copies that a program
// makes for itself. Other hidden folders are read like all folders, in archives and out of them:
// pictures often lie in some ~/.cache.
func hiddenFile(name string) bool {
	return len(path.Base(name)) > 1 && path.Base(name)[0] == '.' ||
		slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return slices.Contains(copies, strings.ToLower(part)) })
}

// copies are the names of such folders, in lower case.
var copies = []string{".thumbnails", ".thumbs", ".ipynb_checkpoints", ".picasaoriginals", ".trash", ".trashes", ".xvpics", "$recycle.bin"}

// A source is the file that an archive lies in. Its context ends with the file's own error, such as
// that of a disk, which tells an archive that could not be read from a damaged one. Two goroutines
// may read it.
type source struct {
	ctx  context.Context
	fail context.CancelCauseFunc
	f    io.ReaderAt
	read atomic.Int64 // bytes so far
}

func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if err := s.failed(); err != nil {
		return 0, err
	}
	n, err := s.f.ReadAt(p, at)
	s.read.Add(int64(n))
	if err != nil && err != io.EOF {
		s.fail(err)
	}
	return n, err
}

// failed is the first error of the source itself.
func (s *source) failed() error { return context.Cause(s.ctx) }
