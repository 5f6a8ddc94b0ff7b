// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/DeRuina/timberjack"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// AuditConfig says where it is kept who changed what.
type AuditConfig struct {
	// Path is a file of JSON lines, made with mode 0600. Default: none, and
	// nothing is kept.
	Path string `mapstructure:"path"`
	// MaxMiB is the size at which a file is put aside, in MiB. Default: 10.
	MaxMiB int `mapstructure:"max_mib"`
	// Files is how many files that were put aside are kept. Default: 5.
	Files int `mapstructure:"files"`

	_ struct{}
}

func (c *AuditConfig) validate() error {
	if c.MaxMiB < 1 || c.Files < 1 {
		return errors.New(`"audit::max_mib" and "audit::files" must be at least 1`)
	}
	return nil
}

// auditLog is the audit log at work.
type auditLog struct {
	log  *zap.Logger
	file *timberjack.Logger
}

// newAuditLog opens the log, nil if none is configured. A file that others may
// read is made private.
func newAuditLog(cfg *AuditConfig, log *zap.Logger) (*auditLog, error) {
	if cfg.Path == "" {
		return nil, nil
	}
	err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(cfg.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			err = errors.Join(f.Chmod(0o600), f.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf(`"audit::path": %w`, err)
	}
	return &auditLog{log, &timberjack.Logger{
		Filename: cfg.Path, MaxSize: cfg.MaxMiB, MaxBackups: cfg.Files, FileMode: 0o600, BackupTimeFormat: "20060102T150405.000",
	}}, nil
}

// Record implements rest.Auditor: one line for each change. A change that cannot
// be written down stays made, and the collector's log says so.
func (a *auditLog) Record(c rest.Change) {
	line, err := json.Marshal(c)
	if err == nil {
		_, err = a.file.Write(append(line, '\n'))
	}
	if err != nil {
		a.log.Error("a change is missing in the audit log", zap.String("action", c.Action), zap.String("request_id", c.RequestID), zap.Error(err))
	}
}

func (a *auditLog) close() error {
	if a == nil {
		return nil
	}
	return a.file.Close()
}
