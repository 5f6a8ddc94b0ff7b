// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"errors"

	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"

	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// ControlConfig names one engine; without any it is SQLite.
type ControlConfig struct {
	// SQLite is the engine within this process.
	SQLite configoptional.Optional[SQLiteConfig] `mapstructure:"sqlite"`

	// Postgres is a server that several processes share.
	Postgres configoptional.Optional[PostgresConfig] `mapstructure:"postgres"`

	_ struct{}
}

// SQLiteConfig is about SQLite.
type SQLiteConfig struct {
	// Path is the file. Default: control.db in the directory of the extension.
	Path string `mapstructure:"path"`

	// AllowMissing lets a start make the file although spans are stored. They then have
	// no owner. Default: false.
	AllowMissing bool `mapstructure:"allow_missing"`

	_ struct{}
}

// PostgresConfig is about PostgreSQL, 15 or newer.
type PostgresConfig struct {
	// DSN is the connection string, which nothing shows again. Required.
	DSN configopaque.String `mapstructure:"dsn"`

	// MaxConnections bounds the connections of this process; one more hears of
	// changes. Default: 8.
	MaxConnections int `mapstructure:"max_connections"`

	// Migrate says what a start does about the format of the database: auto brings it to
	// that of the release, check refuses another one, off does not look. Default: auto.
	Migrate string `mapstructure:"migrate"`

	_ struct{}
}

// problems names everything that is wrong.
func (c *ControlConfig) problems() (errs []error) {
	p := c.Postgres.Get()
	if p == nil {
		return nil
	}
	if c.SQLite.HasValue() {
		errs = append(errs, errors.New(`"control::sqlite" and "control::postgres" exclude each other`))
	}
	return append(errs, connection("control::postgres", p.DSN, sqldb.CheckDSN, p.MaxConnections, p.Migrate)...)
}

// path returns the file of SQLite that is named, "" if none is.
func (c *ControlConfig) path() string {
	if s := c.SQLite.Get(); s != nil {
		return s.Path
	}
	return ""
}

// mayBeMissing reports whether a start creates a control store for spans that exist.
func (c *ControlConfig) mayBeMissing() bool {
	s := c.SQLite.Get()
	return s != nil && s.AllowMissing
}

// engine returns the name of the engine.
func (c *ControlConfig) engine() string {
	if c.Postgres.HasValue() {
		return "postgres"
	}
	return "sqlite"
}

// backedUp returns what of a control store is backed up here, nil where a server's own
// tools do it.
func (c *ControlConfig) backedUp(control any) any {
	if c.Postgres.HasValue() {
		return nil
	}
	return control
}
