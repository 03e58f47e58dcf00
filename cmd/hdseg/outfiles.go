package main

import "hdseg/manifests"

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
