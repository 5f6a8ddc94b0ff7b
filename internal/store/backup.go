// SPDX-License-Identifier: Apache-2.0

package store

import "time"

// Backups makes and lists backups of both stores of a process.
type Backups interface {
	// Begin begins a backup with a name that no other has, and returns it as it
	// begins; it goes on behind the call. It answers Invalid for a name that is no
	// good for one, Conflict when there is a backup of the name or one is being made,
	// and NotConfigured where the stores are not such that this process can copy them.
	Begin(name string) (Backup, error)
	// List returns the backups that there are, by their names, with the one that is
	// being made and those that were not finished.
	List() ([]Backup, error)
}

// BackupProvider is an extension that makes backups of the stores that it provides.
type BackupProvider interface {
	Backups() Backups
}

// Backup is a copy of the stores as they were at one moment.
type Backup struct {
	Name  string
	State BackupState
	// Path is the directory that it is in, or will be.
	Path string
	// Begun and Ended are when it was made, Moment is what the spans are of. Keys,
	// setups and the like are of a moment between that and Ended. Zero where it is
	// not so far, or not known.
	Begun, Moment, Ended time.Time
	// Bytes of Total, about, are copied, in Files files of spans.
	Files, Bytes, Total int64
	// Problem is why it failed, without a path.
	Problem string
}

// BackupState is how far a backup is.
type BackupState string

// States of backups.
const (
	BackupRunning BackupState = "running"
	BackupDone    BackupState = "done"
	BackupFailed  BackupState = "failed"
)
