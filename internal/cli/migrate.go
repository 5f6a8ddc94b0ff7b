// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"
)

// Migrated is one store of which the database has the schema of this release.
type Migrated struct {
	Extension string `json:"extension"`
	Store     string `json:"store"`
	Engine    string `json:"engine"`
}

// Migrate brings the databases of a configuration to the schema of this release, and
// returns those that have it, whatever the error says of others.
type Migrate func(ctx context.Context, locations []string) ([]Migrated, error)

func (a *app) migrate() *cobra.Command {
	var locations []string
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Migrate the databases of a configuration to the schema of this release",
		Long: "Opens the stores that a collector's configuration names, and migrates their databases to the schema of this release. " +
			"Several processes may run it at once. A database that has the schema stays as it is, and one of a newer release is refused. " +
			"Databases on servers may be in use meanwhile; a data directory must not.",
		Example: `  touchstone migrate --config config.yaml
  touchstone migrate data --from-directory data --config gateway.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(locations) == 0 {
				return usage("--config is required, as the collector has it")
			}
			done, err := a.stores.Migrate(cmd.Context(), locations)
			if told := a.tellMigrated(done); told != nil {
				err = errors.Join(err, told)
			}
			if err != nil {
				return &exitError{ExitFailed, err}
			}
			return nil
		},
	}
	c.AddCommand(a.migrateData())
	c.Flags().StringArrayVar(&locations, "config", nil, "location of the configuration, as the collector takes it; may be repeated")
	return c
}

func (a *app) tellMigrated(done []Migrated) error {
	if a.output == "json" {
		b, err := json.Marshal(map[string]any{"stores": append([]Migrated{}, done...)})
		if err != nil {
			return err
		}
		return a.json(b)
	}
	rows := make([][]string, len(done))
	for i, m := range done {
		rows[i] = []string{line(m.Extension, 200), m.Store, m.Engine, "has the schema of this release"}
	}
	return a.rows([]string{"extension", "store", "engine", "schema"}, rows)
}
