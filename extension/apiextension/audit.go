// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/DeRuina/timberjack"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// AuditConfig says where it is kept who changed what.
type AuditConfig struct {
	// Path is a file of JSON lines, made with mode 0600, of the changes that keys of
	// environments made. Two more files have its name with a suffix: "-operator" for
	// the operator's changes, "-refused" for refused attempts. Default: none, and nothing
	// is kept.
	Path string `mapstructure:"path"`
	// MaxMiB is the size at which a file is rotated, in MiB. Default: 10.
	MaxMiB int `mapstructure:"max_mib"`
	// Files is the number of rotated files that are kept. Default: 5.
	Files int `mapstructure:"files"`

	_ struct{}
}

func (c *AuditConfig) validate() error {
	if c.MaxMiB < 1 || c.Files < 1 {
		return errors.New(`"audit::max_mib" and "audit::files" must be at least 1`)
	}
	return nil
}

// auditLog is the audit log at work. Each of its files has a size of its own, so that
// no environment's key can have the lines of the operator removed.
type auditLog struct {
	log                             *zap.Logger
	environments, operator, refused *timberjack.Logger
}

// newAuditLog opens the log, nil if none is configured. Files that others may
// read are made private.
func newAuditLog(cfg *AuditConfig, log *zap.Logger) (*auditLog, error) {
	if cfg.Path == "" {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700); err != nil {
		return nil, fmt.Errorf(`"audit::path": %w`, err)
	}
	a := &auditLog{log: log}
	for suffix, file := range map[string]**timberjack.Logger{"": &a.environments, "-operator": &a.operator, "-refused": &a.refused} {
		var err error
		if *file, err = openAuditFile(cfg, suffix); err != nil {
			return nil, errors.Join(fmt.Errorf(`"audit::path": %w`, err), a.close())
		}
	}
	return a, nil
}

// openAuditFile opens the file whose name has suffix before its extension.
func openAuditFile(cfg *AuditConfig, suffix string) (*timberjack.Logger, error) {
	extension := filepath.Ext(cfg.Path)
	path := strings.TrimSuffix(cfg.Path, extension) + suffix + extension
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the configured path
	if err == nil {
		err = errors.Join(f.Chmod(0o600), f.Close())
	}
	if err != nil {
		return nil, err
	}
	return &timberjack.Logger{
		Filename: path, MaxSize: cfg.MaxMiB, MaxBackups: cfg.Files, FileMode: 0o600, BackupTimeFormat: "20060102T150405.000",
	}, nil
}

// fileOf returns the file that has a change.
func (a *auditLog) fileOf(c *rest.Change) *timberjack.Logger {
	switch {
	case c.Refused():
		return a.refused
	case c.Actor == rest.ByOperator:
		return a.operator
	}
	return a.environments
}

// Record implements rest.Auditor: one line for each change. A change that cannot
// be written down stays made, and the collector's log says so.
func (a *auditLog) Record(c rest.Change) {
	line, err := json.Marshal(c)
	if err == nil {
		_, err = a.fileOf(&c).Write(append(line, '\n'))
	}
	if err != nil {
		a.log.Error("a change is missing in the audit log", zap.String("action", c.Action), zap.String("request_id", c.RequestID), zap.Error(err))
	}
}

func (a *auditLog) close() error {
	if a == nil {
		return nil
	}
	var errs []error
	for _, f := range []*timberjack.Logger{a.environments, a.operator, a.refused} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
