package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// header is a header block by hand, as programs other than archive/tar write it: GNU's magic, and more fields at the offsets of put.
func header(name string, kind byte, size int, put map[int]string) []byte {
	b := make([]byte, 512)
	copy(b, name)
	copy(b[100:], "0000644\x00")
	copy(b[124:], fmt.Sprintf("%011o\x00", size))
	copy(b[148:], "        ")
	b[156] = kind
	copy(b[257:], "ustar  \x00")
	for at, s := range put {
		copy(b[at:], s)
	}
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	return b
}

// block pads data to whole blocks.
func block(data string) []byte {
	return append([]byte(data), make([]byte, (512-len(data)%512)%512)...)
}

// Sparse files as GNU tar writes them, in its own format and in the POSIX one, and members without data whose header has
// a size, wherever they stand: refused by name or passed over, and the rest of the archive is read.
func TestMembersWithoutData(t *testing.T) {
	const ustar = "ustar\x0000"
	file := slices.Concat(header("a.txt", '0', 5, nil), block("first"))
	// 10 MB, of which 4 bytes at 1 MB are not a hole.
	old := slices.Concat(header("hole", 'S', 4, map[int]string{386: "00004000000\x0000000000004\x00", 483: "00046113200\x00"}), block("data"))
	records := "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n24 GNU.sparse.name=hole\n32 GNU.sparse.realsize=10000000\n"
	posix := slices.Concat(header("PaxHeaders/hole", 'x', len(records), map[int]string{257: ustar}), block(records),
		header("GNUSparseFile.0/hole", '0', 516, map[int]string{257: ustar}), block("1\n1048576\n4\n"), block("data"))
	for name, c := range map[string]struct {
		member []byte
		faults []string
	}{
		"sparse, GNU": {old, []string{"hole"}}, "sparse, POSIX": {posix, []string{"hole"}},
		"hard link":    {header("hard", '1', 5000, map[int]string{157: "a.txt"}), []string{"hard"}},
		"symbolic":     {header("soft", '2', 5000, map[int]string{157: "a.txt"}), []string{"soft"}},
		"folder":       {header("dir/", '5', 4096, nil), nil},
		"dumped":       {slices.Concat(header("dir/", 'D', 8, nil), block("Ya.txt\x00\x00")), nil},
		"volume label": {header("C:\\label", 'V', 0, nil), nil},
		"continued":    {slices.Concat(header("rest", 'M', 5, nil), block("rests")), []string{"rest"}},
		"unknown":      {slices.Concat(header("what", 'Z', 5, nil), block("whats")), []string{"what"}},
		"global":       {slices.Concat(header("pax_global_header", 'g', 13, map[int]string{257: ustar}), block("13 comment=x\n")), nil},
	} {
		for order, parts := range map[string][][]byte{"last": {file, c.member}, "first": {c.member, file}, "alone": {c.member}} {
			data := append(slices.Concat(parts...), make([]byte, 1024)...)
			for _, archive := range []string{"x.tar", "x.tar.gz"} {
				packed := data
				if archive == "x.tar.gz" {
					packed = gz(data)
				}
				var want []string
				for _, f := range c.faults {
					want = append(want, archive+"!"+f+" unsafe_member")
				}
				files, faults, err := walkAll(t, archiveFile(t, archive, packed), false)
				if err != nil || (len(files) == 1) != (order != "alone") || !slices.Equal(faults, want) {
					t.Errorf("%s %s in %s: got %v, %v, %v, want faults %v", name, order, archive, files, faults, err, want)
				}
			}
			// Without its end each is cut short, whatever stands last.
			if _, _, err := walkAll(t, archiveFile(t, "x.tar", data[:len(data)-512]), false); err == nil || !strings.Contains(err.Error(), "cut short") {
				t.Errorf("%s %s, one end block: got %v", name, order, err)
			}
		}
	}
}

// A contiguous file (type 7) is a regular one.
func TestContiguousMember(t *testing.T) {
	data := slices.Concat(header("a.txt", '7', 5, nil), block("first"), make([]byte, 1024))
	files, faults, err := walkAll(t, archiveFile(t, "x.tar", data), false)
	if err != nil || len(faults) > 0 || !slices.Equal(files, []string{"a.txt=first"}) {
		t.Errorf("got %v, %v, %v", files, faults, err)
	}
}

// Zeros at the end of the last member are none of the end, of whatever length it is and wherever the archive is cut.
func TestCutAfterZeros(t *testing.T) {
	for _, size := range []int{1, 511, 512, 513, 1024, 8704, 40000} {
		whole := tarOf(member{"a.txt", make([]byte, size)})
		for _, cut := range []int{512, 1024} {
			for name, data := range map[string][]byte{"x.tar": whole[:len(whole)-cut], "x.tgz": gz(whole[:len(whole)-cut])} {
				if _, _, err := walkAll(t, archiveFile(t, name, data), false); err == nil || !strings.Contains(err.Error(), "cut short") {
					t.Errorf("%s of %d bytes, %d cut off: got %v", name, size, cut, err)
				}
			}
		}
	}
}

// A name is refused for the reason that it has.
func TestUnsafeNames(t *testing.T) {
	for name, want := range map[string]string{
		"../a": "leaves the archive", "/a": "leaves the archive", "a/../b": "leaves the archive", `a\b.jpg`: "Windows: pack", `C:\a`: "Windows: pack",
		"a:b/c.jpg": "a drive on Windows", "ab:c.jpg": "", "a/b/": "",
	} {
		if got := unsafeName(name); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
