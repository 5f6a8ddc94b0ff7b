// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"fmt"

	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// A transaction has a connection while others ask; a server has some hundred.
const minConnections, maxConnections = 2, 1000

// connection names what is wrong with dsn, max_connections and migrate of the server whose
// settings are below key. No error has the DSN in it if check's have not.
func connection(key string, dsn configopaque.String, check func(string) error, most int, migrate string) (errs []error) {
	if dsn == "" {
		errs = append(errs, fmt.Errorf("%q is required", key+"::dsn"))
	} else if err := check(string(dsn)); err != nil {
		errs = append(errs, fmt.Errorf("%q: %w", key+"::dsn", err))
	}
	if most < minConnections || most > maxConnections {
		errs = append(errs, fmt.Errorf("%q must be from %d to %d", key+"::max_connections", minConnections, maxConnections))
	}
	if !store.Migration(migrate).Known() {
		errs = append(errs, fmt.Errorf("%q must be %s, %s or %s", key+"::migrate", store.MigrateAuto, store.MigrateCheck, store.MigrateOff))
	}
	return errs
}
