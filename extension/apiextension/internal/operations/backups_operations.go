// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetBackupInput has the parameters of an operation.
type GetBackupInput struct {
	Name string `path:"name" doc:"The name of the backup."`
}

// CreateBackup is the operation create-backup.
var CreateBackup = rest.Operation[BackupRequest, Backup]{
	Method: http.MethodPost, Path: "/v2/backups", Scope: rest.ForOperator,
	Tag: "Backups", ID: "create-backup", Summary: "Make a backup",
	Doc:    "Begins a copy of spans, evaluations, keys, setups and evaluators as they are at one moment, in a directory of this name on the machine of the process. It goes on behind the answer: ask for it until its state is not running. One is made at a time.",
	Status: http.StatusAccepted, Answer: "The backup has begun.",
	Refusals: []int{http.StatusConflict, http.StatusNotImplemented},
}

// ListBackups is the operation list-backups.
var ListBackups = rest.Operation[rest.None, Backups]{
	Method: http.MethodGet, Path: "/v2/backups", Scope: rest.ForOperator,
	Tag: "Backups", ID: "list-backups", Summary: "List backups",
	Doc:    "Those that there are by their names, those that were not finished, and the one that is being made.",
	Answer: "The backups.",
}

// GetBackup is the operation get-backup.
var GetBackup = rest.Operation[GetBackupInput, Backup]{
	Method: http.MethodGet, Path: "/v2/backups/{name}", Scope: rest.ForOperator,
	Tag: "Backups", ID: "get-backup", Summary: "Get a backup",
	Doc:      "How far it is, or what came of it.",
	Answer:   "The backup.",
	Refusals: []int{http.StatusNotFound},
}
