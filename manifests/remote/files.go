package remote

import (
	"context"
	"fmt"

	"hdseg/manifests"
)

// Files are archives, or other bytes by digest that are no manifest's, with an index that names
// them.
type Files struct {
	Index  string // path of the index, relative to the store and the place
	Data   []byte // its bytes
	List   []File
	Finish func() error // pull: writes the index when the files are there
}

// archives are files on their way, and the index that is there.
type archives struct {
	Files
	before
}

// prepareArchives reads the index that is there. It is never replaced: names of archives say
// nothing of their bytes, so a reader of the old index would find others.
func (p *push) prepareArchives(ctx context.Context, f Files) error {
	was, err := p.readIndex(ctx, f.Index, f.Data)
	if err != nil {
		return err
	}
	p.res.Manifest = manifests.Sum(f.Data)
	if was.old != nil && manifests.Sum(was.old) != p.res.Manifest {
		return fmt.Errorf("remote: %s%s: archives of another plan are there, whose names are the same: push to another prefix", p.Bucket,
			f.Index)
	}
	if was.old != nil {
		for _, v := range f.List {
			p.trusted[v.Path] = v.SHA256
		}
	}
	p.archives = append(p.archives, archives{f, was})
	return p.list.add(f.List)
}

// putArchives writes the indexes of archives, which are there.
func (p *push) putArchives(ctx context.Context) error {
	for _, a := range p.archives {
		err := p.putIndex(ctx, a.Index, a.Data, a.before)
		if err == nil && a.old == nil {
			err = p.probe(ctx, a.Index, a.Data, condition{absent: true})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Get fetches a small object, such as the index of shards.
func (b *Bucket) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := b.get(ctx, path, "")
	if err == nil && data == nil {
		err = fmt.Errorf("remote: %s%s: not there", b, path)
	}
	return data, err
}
