//go:build unix && !linux

package ingest

import "testing"

// spread is for Linux's file systems.
func spread(*testing.B, string) {}
