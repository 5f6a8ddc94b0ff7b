// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// Migrated is one store of which the database has the schema of this release now.
type Migrated struct {
	Extension string // as the configuration names it
	Store     string // spans or control
	Engine    string
}

// Migrate brings the databases that a collector's configuration names to the schema of
// this release, whatever it says of migrate, and opens nothing else. Locations are those
// of the collector's --config. Of databases that cannot be migrated the error says why;
// the others are, and it may be called again.
func Migrate(ctx context.Context, locations []string) ([]Migrated, error) {
	all, err := configurations(ctx, locations)
	if err != nil {
		return nil, err
	}
	var done []Migrated
	var errs []error
	for _, x := range all {
		if s := x.cfg.Spans.ClickHouse.Get(); s != nil {
			s.Migrate = string(store.MigrateAuto)
		}
		if p := x.cfg.Control.Postgres.Get(); p != nil {
			p.Migrate = string(store.MigrateAuto)
		}
		note := func(name, engine string, err error) {
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", x.id, err))
				return
			}
			done = append(done, Migrated{x.id, name, engine})
		}
		note("spans", x.cfg.Spans.engine(), closed(openEngine(ctx, x.cfg, func(string, error) {})))
		note("control", x.cfg.Control.engine(), closed(openControl(ctx, x.cfg)))
	}
	return done, errors.Join(errs...)
}

// closed closes what was opened.
func closed(db io.Closer, err error) error {
	if err != nil {
		return err
	}
	return db.Close()
}

// configured is one extension of this type as a configuration has it.
type configured struct {
	id  string
	cfg *Config
}

// configurations returns the extensions of this type that a collector with this
// configuration would start, by their names.
func configurations(ctx context.Context, locations []string) ([]configured, error) {
	conf, err := resolved(ctx, locations)
	if err != nil {
		return nil, err
	}
	return storesOf(conf)
}

// resolved reads a configuration as a collector does.
func resolved(ctx context.Context, locations []string) (*confmap.Conf, error) {
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs:              locations,
		ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory()},
		DefaultScheme:     "env",
	})
	if err != nil {
		return nil, err
	}
	conf, err := resolver.Resolve(ctx)
	return conf, errors.Join(err, resolver.Shutdown(ctx))
}

// storesOf returns the store extensions that a configuration starts, by their names.
func storesOf(conf *confmap.Conf) ([]configured, error) {
	var all []configured
	started, _ := conf.Get("service::extensions").([]any)
	for _, x := range started {
		name, _ := x.(string)
		var id component.ID
		if err := id.UnmarshalText([]byte(name)); err != nil || id.Type() != Type || !conf.IsSet("extensions::"+name) {
			continue
		}
		cfg := createDefaultConfig().(*Config)
		said, err := conf.Sub("extensions::" + name)
		if err == nil {
			err = said.Unmarshal(cfg)
		}
		if err == nil {
			err = cfg.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("extensions::%s: %w", name, err)
		}
		all = append(all, configured{name, cfg})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the configuration starts no extension of the type %s", Type)
	}
	slices.SortFunc(all, func(a, b configured) int { return strings.Compare(a.id, b.id) })
	return all, nil
}
