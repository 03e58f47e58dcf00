package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hdseg/manifests"
)

// SaveEvery is how much of a training of trees is lost at most when the process dies; tests change it.
var SaveEvery = time.Minute

// Checkpoints are lscrf.Checkpoints in files STEMpart-key.checkpoint, which the process that trained removes when its result is
// written. Files of other keys are left alone. Many goroutines may use it.
type Checkpoints struct {
	mu      sync.Mutex
	stem    string            // folder and first part of the file names
	strange bool              // tell of files of the stem that are of other trainings
	warn    func(line string) // sees what a user should know, when it happens
	now     func() time.Time

	saved  time.Time       // when it was last time to save
	names  map[string]bool // of the trainings of this process: whether it holds trees
	told   map[string]bool // files of other trainings
	failed bool
}

// NewCheckpoints keeps checkpoints beside a file, whose name theirs begin with.
func NewCheckpoints(file string, warn func(string)) *Checkpoints {
	c := newCheckpoints(file+".", warn)
	c.strange = true
	return c
}

// StoreCheckpoints keeps the checkpoints of any number of models in the work folder of a data set.
func StoreCheckpoints(store *manifests.Store, warn func(string)) *Checkpoints {
	return FolderCheckpoints(filepath.Join(store.Dir(), ".work", "checkpoints"), warn)
}

// FolderCheckpoints keeps the checkpoints of any number of models in a folder, which is there while it holds some.
func FolderCheckpoints(dir string, warn func(string)) *Checkpoints {
	return newCheckpoints(dir+string(filepath.Separator), warn)
}

func newCheckpoints(stem string, warn func(string)) *Checkpoints {
	return &Checkpoints{stem: stem, warn: warn, now: time.Now, saved: time.Now(), names: map[string]bool{}, told: map[string]bool{}}
}

func (c *Checkpoints) name(part, key string) string {
	return filepath.Clean(c.stem + part + "-" + key + ".checkpoint")
}

// Load reads a checkpoint, nil if there is none.
func (c *Checkpoints) Load(part, key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.name(part, key)
	data, err := os.ReadFile(name)
	if c.names[name] = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.warn(fmt.Sprintf("%s: cannot be read, this part is trained again: %v", name, err))
	}
	if c.strange {
		c.tellStrange(part)
	}
	return data
}

// tellStrange tells of the checkpoints of a part that other data or settings left.
func (c *Checkpoints) tellStrange(part string) {
	files, _ := os.ReadDir(filepath.Dir(c.stem)) // Save will tell what is wrong with the folder
	for _, f := range files {
		name := filepath.Join(filepath.Dir(c.stem), f.Name())
		if _, own := c.names[name]; own || c.told[name] ||
			!strings.HasPrefix(f.Name(), filepath.Base(c.stem)+part+"-") || !strings.HasSuffix(f.Name(), ".checkpoint") {
			continue
		}
		c.told[name] = true
		c.warn(name + ": is of a training with other data or settings: it is not used, and stays for it; delete it if that is not to go on")
	}
}

// Due tells once in every SaveEvery that it is time to save.
func (c *Checkpoints) Due() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Sub(c.saved) < SaveEvery {
		return false
	}
	c.saved = now
	return true
}

// Save writes a checkpoint. The first failure is told.
func (c *Checkpoints) Save(part, key string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.name(part, key)
	if err := manifests.WriteFile(name, filepath.Dir(name), data); err == nil {
		c.names[name] = true
	} else if !c.failed {
		c.failed = true
		c.warn(fmt.Sprintf("%s: cannot be written, an interruption loses this part: %v", name, err))
	}
}

// Damaged tells that a checkpoint is of no use.
func (c *Checkpoints) Damaged(part, key string, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.name(part, key)
	c.names[name] = false
	c.warn(fmt.Sprintf("%s: cannot be used, this part is trained again: %v", name, why))
}

// Kept tells whether trees of this process's trainings are in files.
func (c *Checkpoints) Kept() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, holds := range c.names {
		if holds {
			return true
		}
	}
	return false
}

// Remove deletes the checkpoints of this process's trainings, whose result is written.
func (c *Checkpoints) Remove() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if !c.strange {
		_ = os.Remove(filepath.Dir(c.stem)) // unless others are in it
	}
	return nil
}
