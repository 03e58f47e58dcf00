package main

import (
	"os"

	"hdseg/manifests"
)

// outFiles finds out, before a command starts its work, that its results cannot be written. "" is no file.
func (a *app) outFiles(names ...string) error {
	for _, name := range names {
		if name == "" {
			continue
		}
		if err := manifests.CheckFile(name); err != nil {
			return err
		}
	}
	return nil
}

// absent returns the name of a file that is written only where it is missing, and "" if it is there.
func absent(name string) string {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		return ""
	}
	return name
}
