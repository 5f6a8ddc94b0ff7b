// SPDX-License-Identifier: Apache-2.0

package store

// Migration says what opening a store on a server does about the schema of its database.
type Migration string

const (
	// MigrateAuto brings the database to the schema of this release; "" is the same.
	MigrateAuto Migration = "auto"
	// MigrateCheck refuses a database that has another one, and changes nothing.
	MigrateCheck Migration = "check"
	// MigrateOff takes the database as it is, unseen.
	MigrateOff Migration = "off"
)

// Known reports whether m is one of those.
func (m Migration) Known() bool {
	return m == MigrateAuto || m == MigrateCheck || m == MigrateOff
}
