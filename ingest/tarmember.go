package ingest

import (
	"archive/tar"
	"fmt"
	"path/filepath"
	"strings"
)

// Types of members that archive/tar has no name for; GNU tar writes them.
const (
	typeDumpDir     = 'D' // a folder with the list of its files, of an incremental backup
	typeVolumeLabel = 'V' // the name of the archive itself
	typeContinued   = 'M' // the rest of a file of another volume
)

// holdsNothing tells whether members of a type are no files and need no word.
func holdsNothing(t byte) bool {
	return t == tar.TypeDir || t == tar.TypeXGlobalHeader || t == typeDumpDir || t == typeVolumeLabel
}

// isSparse tells whether a member is a file of which holes are left out.
func isSparse(h *tar.Header) bool {
	if h.Typeflag == tar.TypeGNUSparse {
		return true
	}
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// unsafeMember says why a member is refused, "" if it is not: only regular files and folders under clean relative names.
func unsafeMember(h *tar.Header) string {
	switch h.Typeflag {
	case tar.TypeXGlobalHeader, typeVolumeLabel:
		return ""
	case tar.TypeReg, tar.TypeCont, tar.TypeDir, typeDumpDir, tar.TypeGNUSparse:
	case tar.TypeSymlink, tar.TypeLink:
		return fmt.Sprintf("a link to %q", h.Linkname)
	case typeContinued:
		return "the rest of a file that begins in another volume"
	default:
		return fmt.Sprintf("member type %q", h.Typeflag)
	}
	if isSparse(h) {
		return "a sparse file, of which the holes were left out: pack it without --sparse"
	}
	return unsafeName(h.Name)
}

// unsafeName says what is wrong with a member's name, "" if it is a clean relative one. Names are refused, never cleaned.
func unsafeName(name string) string {
	name = strings.TrimSuffix(name, "/")
	switch {
	case strings.Contains(name, `\`):
		return `the name has a \, as paths have it on Windows: pack the files anew, with / between folders`
	case len(name) > 1 && name[1] == ':':
		return "the name begins with a letter and a colon, which is a drive on Windows: rename the folder"
	case !filepath.IsLocal(name):
		return "the name leaves the archive"
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "the name leaves the archive"
		}
	}
	return ""
}
