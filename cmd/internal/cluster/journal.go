package cluster

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A journal keeps, as one object of a bucket, the small files by which a shard of transfer goes on
// after an interruption: one request for all, where each would need its own. In a folder they stay
// files.
type journal struct {
	d    *desk
	path string
}

// open unpacks what an earlier try of the shard left.
func (j journal) open() error {
	if j.d.x == nil {
		return nil
	}
	data, err := j.d.Read(j.path, "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var files map[string][]byte
	if err == nil && gob.NewDecoder(bytes.NewReader(data)).Decode(&files) != nil {
		return nil // torn: the work is done again
	}
	for p, text := range files {
		if strings.HasPrefix(p, entries) {
			err = errors.Join(err, j.d.Replace(p, text))
		}
	}
	return err
}

// pack writes the journal anew if there is anything in it.
func (j journal) pack() error {
	if j.d.x == nil {
		return nil
	}
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(j.d.Dir()), path.Clean(entries), func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && e.IsDir() {
			return nil
		}
		if err == nil {
			files[p], err = os.ReadFile(filepath.Join(j.d.Dir(), filepath.FromSlash(p)))
		}
		return err
	})
	if err != nil || len(files) == 0 {
		return err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(files); err != nil {
		return err
	}
	return j.d.Replace(j.path, b.Bytes())
}

// keep sends now and then what the task has made, until stop is called. What cannot be sent is told
// and tried again.
func (j journal) keep(ctx context.Context, warn func(line string)) (stop func()) {
	if j.d.x == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			// the journal after the masks that it names
			err := j.d.send(ctx)
			if err == nil {
				if err = j.pack(); err == nil {
					err = j.d.send(ctx)
				}
			}
			if err != nil && ctx.Err() == nil {
				warn("what is done is not in the bucket yet: " + err.Error())
			}
		}
	}()
	return func() { cancel(); <-ended }
}
