package ingest

import (
	"path"
	"slices"
	"strings"
)

// isLitter tells whether a file, or a folder on its way, is one that systems and tools leave behind and that never holds what a user means:
// it is passed over without a word.
func isLitter(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, "._") || slices.Contains(litter, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// litter are such names, in lower case; names that begin with ._ are the others.
var litter = []string{".ds_store", "__macosx", ".appledouble", ".spotlight-v100", ".fseventsd", ".temporaryitems", ".directory", ".git", ".svn", ".hg",
	"thumbs.db", "desktop.ini", "@eadir"}

// hiddenFile tells whether a file hides: by its own name, or in a folder of copies that a program makes for itself. Other hidden folders are
// read like all folders, in archives and out of them: pictures often lie in some ~/.cache.
func hiddenFile(name string) bool {
	return len(path.Base(name)) > 1 && path.Base(name)[0] == '.' ||
		slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return slices.Contains(copies, strings.ToLower(part)) })
}

// copies are the names of such folders, in lower case.
var copies = []string{".thumbnails", ".thumbs", ".ipynb_checkpoints", ".picasaoriginals", ".trash", ".trashes", ".xvpics", "$recycle.bin"}
