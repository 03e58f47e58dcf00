package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hdseg/manifests"
)

// A TaskReport is what is kept of a task, or of one of its shards, that has ended.
type TaskReport struct {
	Run     manifests.Digest `json:"run"`   // of the plan that it is of
	Task    string           `json:"task"`  // name of the step
	Shard   int              `json:"shard"` // number, from 0
	Of      int              `json:"of"`
	Host    string           `json:"host"`  // machine
	Ended   string           `json:"ended"` // RFC 3339, UTC
	Seconds float64          `json:"seconds"`
	CPU     float64          `json:"cpu_seconds"` // of all cores together
	Workers int              `json:"workers"`     // cores that it had
	Read    int              `json:"read"`
	Done    int              `json:"done"`
	// digests of the files that other tasks read, by path
	Outputs  map[string]manifests.Digest `json:"outputs,omitempty"`
	Skips    []manifests.Skip            `json:"skips,omitempty"`
	Warnings []string                    `json:"warnings,omitempty"`
	Error    string                      `json:"error,omitempty"` // it failed: why
	// and where its output is, if it is known
	Log string `json:"log,omitempty"`
}

// ReportDir holds the reports of tasks.
const ReportDir = ".work/run/"

// ReportPath is where the report of a shard lies in the store; failed: that of a try that failed.
func ReportPath(task string, i, of int, failed bool) string {
	kind := ""
	if failed {
		kind = ".failed"
	}
	return fmt.Sprintf("%s%s/%d-of-%d%s.json", ReportDir, task, i, of, kind)
}

// ReadReport returns the report of a shard, fs.ErrNotExist if there is none.
func ReadReport(s *manifests.Store, task string, i, of int, failed bool) (r TaskReport, err error) {
	err = readJSON(s, ReportPath(task, i, of, failed), &r)
	return r, err
}

// Write keeps a report, and removes that of a try that failed if this one did not.
func (r TaskReport) Write(s *manifests.Store) error {
	if err := WriteJSON(s, ReportPath(r.Task, r.Shard, r.Of, r.Error != ""), r); err != nil || r.Error != "" {
		return err
	}
	name, err := s.Path(ReportPath(r.Task, r.Shard, r.Of, true))
	if err == nil {
		err = os.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
