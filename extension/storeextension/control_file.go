// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"errors"
	"os"
	"path/filepath"
)

// controlPath returns the file of the control store, "" if it is a server.
func controlPath(cfg *Config) string {
	if cfg.Control.Postgres.HasValue() {
		return ""
	}
	if path := cfg.Control.path(); path != "" {
		return path
	}
	return filepath.Join(cfg.Directory, controlFile)
}

// watched is a file that a process has open. A caller that removes or exchanges it does not
// disturb the process, which goes on with a file that is no longer found: what it
// writes there is gone with the process.
type watched struct {
	path   string // "" if there is none
	opened os.FileInfo
}

func watch(path string) (watched, error) {
	if path == "" {
		return watched{}, nil
	}
	opened, err := os.Stat(path)
	return watched{path, opened}, err
}

// gone reports whether the file is not the one that was opened.
func (w *watched) gone() bool {
	if w.path == "" {
		return false
	}
	now, err := os.Stat(w.path)
	if err != nil {
		return errors.Is(err, os.ErrNotExist) // all else says nothing of the file
	}
	return !os.SameFile(w.opened, now)
}
