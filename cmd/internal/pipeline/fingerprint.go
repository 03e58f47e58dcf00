package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/ingest"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// A Source is a file or folder that an ingest reads.
type Source struct {
	Kind string
	Path *string // in its request
}

// SourcesOf lists the sources of a request, in the order on which the digest of all depends.
func SourcesOf(r *ingest.Request) (out []Source) {
	add := func(kind string, paths []string) {
		for i := range paths {
			out = append(out, Source{kind, &paths[i]})
		}
	}
	add("voc", r.VOC)
	add("imagenet", r.ImageNet)
	add("boxes", r.Boxes)
	if r.Test != "" {
		out = append(out, Source{"test", &r.Test})
	}
	add("folder", r.Folders)
	for i := range r.COCO {
		out = append(out, Source{"coco", &r.COCO[i].Instances}, Source{"coco", &r.COCO[i].Images})
	}
	add("hdseg", r.HDSeg)
	add("stanford", r.Stanford)
	add("segments", r.Segments)
	return out
}

// sourceFiles walks a source in lexical order and follows links, as reading does; a folder to which
// several lead is walked once. Names are paths relative to the source's folder behind the kind of
// source, so that a source that was moved as a whole counts as unchanged.
func sourceFiles(kind, src string) (out []watched, err error) {
	if _, err := os.Stat(src); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file or folder", src)
	}
	base, seen := filepath.Dir(filepath.Clean(src)), map[string]bool{} // real paths of folders
	var walk func(p string) error
	walk = func(p string) error {
		rel, err := filepath.Rel(base, p)
		if err != nil {
			return err
		}
		st, err := os.Stat(p)
		// or a link that leads nowhere yet
		if errors.Is(err, fs.ErrNotExist) || err == nil && !st.IsDir() {
			out = append(out, watched{kind + "/" + filepath.ToSlash(rel), p})
			return nil
		}
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(p)
		if err != nil || seen[real] {
			return err
		}
		seen[real] = true
		list, err := os.ReadDir(p)
		for _, d := range list {
			if err == nil {
				err = walk(filepath.Join(p, d.Name()))
			}
		}
		return err
	}
	err = walk(src) // fills out
	return out, err
}

// sources returns the digest of the names and bytes of all source files that ingest may read, and
// says which of them have changed since the last build.
func (b *build) sources(ctx context.Context) (manifests.Digest, error) {
	var files []watched
	for _, src := range SourcesOf(&b.Sources) {
		list, err := sourceFiles(src.Kind, *src.Path)
		if err != nil {
			return "", err
		}
		if src.Kind == "imagenet" || src.Kind == "boxes" { // all of ImageNet may lie there
			class := b.e.ManifestClass()
			list = slices.DeleteFunc(list, func(f watched) bool { return ingest.OtherSynset(f.name, class) })
		}
		files = append(files, list...)
	}
	w := openWitness(b.store, "sources")
	sums, err := w.look(ctx, files, b.VerifySources, b.Workers, b.Progress("looking for changes in the sources"))
	if err != nil {
		return "", err
	}
	changes := w.changes(files, sums)
	if changes != "" {
		b.Warn("sources changed since the last build: " + changes + ": ingest runs again, and then every stage whose input differs")
	}
	if b.VerifySources {
		b.verified = w.verified(sums, changes)
	}
	var text strings.Builder
	for i, f := range files {
		fmt.Fprintf(&text, "%s %q\n", sums[i], f.name)
	}
	return manifests.Sum([]byte(text.String())), w.write(b.store, false)
}

// verified says that all files were read and, by their changes, whether they are as the last build
// recorded them.
func (w *witness) verified(sums []string, changes string) string {
	unread := 0
	for _, sum := range sums {
		if sum == "" {
			unread++
		}
	}
	line := fmt.Sprintf("source files read: %d", len(sums)-unread)
	if unread > 0 {
		line += fmt.Sprintf(", not readable: %d", unread)
	}
	if len(w.known) == 0 {
		return line + ", no earlier build recorded them"
	}
	if changes != "" {
		return line + ", since the last build: " + changes
	}
	return line + ", all as the last build recorded them"
}

// changes says how files differ from those that the witness knew, "" if they do not, or if it knew
// none.
func (w *witness) changes(files []watched, sums []string) string {
	var said []string
	gone := maps.Clone(w.known)
	lists := map[string][]string{}
	add := func(what, name string) {
		_, name, _ = strings.Cut(name, "/")
		lists[what] = append(lists[what], name)
	}
	for i, f := range files {
		switch was, ok := w.known[f.name]; {
		case !ok && sums[i] == "": // it cannot be read
		case !ok:
			add("new", f.name)
		case was.sum != sums[i]:
			add("changed", f.name)
		}
		delete(gone, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		add("gone", name)
	}
	for _, what := range []string{"changed", "new", "gone"} {
		if list := lists[what]; len(list) > 0 {
			said = append(said, fmt.Sprintf("%d %s (%s)", len(list), what, format.Some(list, 3)))
		}
	}
	if len(w.known) == 0 {
		return ""
	}
	return strings.Join(said, ", ")
}
