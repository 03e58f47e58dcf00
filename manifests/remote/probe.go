package remote

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
)

// probe finds out, by an object that is there with these bytes, what the server does not do. It
// writes the same bytes again on a condition that does not hold, which changes nothing, and looks
// for the metadata that it was sent.
func (p *push) probe(ctx context.Context, path string, data []byte, when condition) error {
	if !when.absent {
		when.etag = `"00000000000000000000000000000000"`
	}
	err := p.retry(ctx, path, func() error {
		err := p.putBytes(ctx, path, data, manifests.Sum(data), &when)
		switch {
		case err == nil || statusOf(err) == http.StatusNotImplemented:
			p.res.Unguarded = true
			return nil
		case conflicts(err):
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	_, sum, err := p.Bucket.head(ctx, path)
	p.res.NoMetadata = sum == ""
	return err
}

// probeSets probes with the smallest part of a manifest, which was sent, if an index is going to
// change: only then do two pushes at once matter. What verifies asks for the metadata in any case.
func (p *push) probeSets(ctx context.Context) error {
	i := slices.IndexFunc(p.sets, (*set).changes)
	if i < 0 && !p.req.Verify {
		return nil
	} else if i < 0 {
		_, sum, err := p.Bucket.head(ctx, p.sets[0].head.pieces()[0].Path)
		p.res.NoMetadata = sum == ""
		return err
	}
	t := p.sets[i]
	least := 0
	for k, data := range t.parts {
		if len(data) < len(t.parts[least]) {
			least = k
		}
	}
	return p.probe(ctx, t.head.pieces()[least].Path, t.parts[least], condition{absent: t.old == nil})
}

// conflicts tells whether the server has refused a write since its condition does not hold.
func conflicts(err error) bool {
	c, s := codeOf(err), statusOf(err)
	return c == "PreconditionFailed" || c == "ConditionalRequestConflict" || s == http.StatusPreconditionFailed || s == http.StatusConflict
}

// Whole fails if a manifest of the place, with its stages, is missing, cut or damaged: it would be
// left out. One is known by the list SHA256SUMS there, by its parts, or by how it begins.
func (b *Bucket) Whole(ctx context.Context, v *Inventory) error {
	data, _, err := b.get(ctx, manifests.SumsFile, "")
	if err != nil {
		return err
	}
	listed, _ := manifests.ParseSums(data) // another file lists none
	if k := v.missing(listed); k != "" {
		return fmt.Errorf("remote: %s%s: the manifest is missing there, but not its parts or its line in %s: a push to it has not "+
			"ended, or this mirror is not whole: push again, copy it again, or choose another with --name", b, Printable(k),
			manifests.SumsFile)
	}
	for _, k := range v.Foreign {
		if dir := path.Dir(k); (dir == "." || dir == manifests.StagesDir) && (listed[k] != "" || v.broken[k]) {
			return fmt.Errorf("remote: %s%s: the manifest there is cut short or damaged: send it again with push --resend %[2]s, copy "+
				"it again to this mirror, or choose another with --name", b, Printable(k))
		}
	}
	return nil
}

// missing names an index of the place, with its stages, that is not there although its parts are or
// a list names it; "" for none. A place may lack all stages.
func (v *Inventory) missing(listed map[string]manifests.Digest) string {
	want, stages := map[string]bool{}, false
	for k := range v.keys {
		if name, ok := strings.CutSuffix(path.Dir(k), ".d"); ok {
			want[name+".yaml"] = true
		}
		stages = stages || strings.HasPrefix(k, manifests.StagesDir+"/")
	}
	for k := range listed {
		if isIndex(k) && (stages || path.Dir(k) == ".") {
			want[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if dir := path.Dir(k); (dir == "." || dir == manifests.StagesDir) && !v.keys[k] {
			return k
		}
	}
	return ""
}
