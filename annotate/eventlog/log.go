package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hdseg/manifests"
)

// A Log is one image's file. It is not safe for concurrent use, and one process writes it at a
// time.
type Log struct {
	file string
	size int64
	seq  int
	prev manifests.Digest
	bad  error

	foreign bool // another program wrote to the file
}

// Open reads the log, which may not exist yet. A last line that lacks only its end is kept and gets
// it. One that was cut short, which is what a process that was killed while it wrote leaves, was
// never acknowledged: it is cut off. Any other damage is an error that names the line.
func Open(file string) (*Log, []Event, error) {
	events, whole, torn, err := read(file)
	if err != nil {
		return nil, nil, err
	}
	if torn {
		end := whole[len(whole)-min(1, len(whole)):] // its line break, which it may lack
		if err := truncate(file, int64(len(whole)-len(end)), end); err != nil {
			return nil, nil, err
		}
	}
	l := &Log{file: file, size: int64(len(whole)), seq: len(events)}
	if len(events) > 0 {
		l.prev = manifests.Sum(lastLine(whole))
	}
	return l, events, nil
}

// Read returns the events of a log without changing it, none if there is no such file, and the
// digest of the last line, "" for none.
func Read(file string) (events []Event, sum manifests.Digest, err error) {
	events, whole, _, err := read(file)
	if len(events) > 0 {
		sum = manifests.Sum(lastLine(whole))
	}
	return events, sum, err
}

func read(file string) (events []Event, whole []byte, torn bool, err error) {
	st, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, false, nil
	}
	if err == nil && !st.Mode().IsRegular() { // opening a pipe waits for ever
		err = fmt.Errorf("%s: is no regular file (%v): move it away, and put the log of a copy there", file, st.Mode().Type())
	}
	if err != nil {
		return nil, nil, false, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, false, err
	}
	whole = data[:bytes.LastIndexByte(data, '\n')+1]
	if torn = len(whole) < len(data); torn {
		ended := append(data[:len(data):len(data)], '\n')
		if json.Unmarshal(ended[len(whole):], new(Event)) == nil { // what was cut short is no JSON
			whole = ended
		}
	}
	events, err = Parse(whole)
	if err != nil {
		return nil, nil, false, fmt.Errorf("%s: %w", file, err)
	}
	return events, whole, torn, nil
}

// Head returns the number of the last event, 0 for none, and the digest of its line.
func (l *Log) Head() (seq int, sum manifests.Digest) { return l.seq, l.prev }

// Parse reads whole lines and checks their numbers and the chain of digests.
func Parse(data []byte) ([]Event, error) {
	var events []Event
	var prev manifests.Digest
	for line := range bytes.Lines(data) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		n := len(events) + 1
		var e Event
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if e.Seq != n || e.Prev != prev {
			return nil, fmt.Errorf("line %d: got number %d after %s, want %d after %s: the log was edited", n, e.Seq,
				e.Prev.Short(), n, prev.Short())
		}
		prev = manifests.Sum(line)
		events = append(events, e)
	}
	return events, nil
}

// Append numbers the event, adds it, and returns when it is on the disk. After an error the log is
// as before; if that cannot be made sure, every further Append is an error.
func (l *Log) Append(e *Event) error {
	if l.bad != nil {
		return l.bad
	}
	e.Seq, e.Prev = l.seq+1, l.prev
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := l.write(append(line, '\n')); err != nil {
		if undo := l.undo(); undo != nil && !errors.Is(undo, fs.ErrNotExist) {
			l.bad = fmt.Errorf("%s: unsure of its end after: %w", l.file, err)
		}
		return err
	}
	l.seq, l.prev, l.size = e.Seq, manifests.Sum(line), l.size+int64(len(line))+1
	return nil
}

func (l *Log) write(line []byte) error {
	f, err := os.OpenFile(l.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if l.foreign = st.Size() != l.size; l.foreign {
		return fmt.Errorf("%s: got %d bytes, want %d: another program wrote to it", l.file, st.Size(), l.size)
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if l.size == 0 {
		return manifests.SyncDir(filepath.Dir(l.file))
	}
	return nil
}

// truncate cuts a file off after so many bytes, and adds a text.
func truncate(file string, size int64, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		return err
	}
	if _, err := f.WriteAt(text, size); err != nil {
		return err
	}
	return f.Sync()
}

func lastLine(whole []byte) []byte {
	whole = bytes.TrimSuffix(whole, []byte{'\n'})
	return whole[bytes.LastIndexByte(whole, '\n')+1:]
}

// undo cuts off what a failed Append may have written. Where another program wrote, nothing is cut.
func (l *Log) undo() error {
	if l.foreign {
		return nil
	}
	return truncate(l.file, l.size, nil)
}
