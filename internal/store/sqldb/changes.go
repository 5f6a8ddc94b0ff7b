// SPDX-License-Identifier: Apache-2.0

package sqldb

import "context"

// Changes implements store.Control. Triggers of the database count.
func (d *DB) Changes(ctx context.Context) (int64, error) {
	var number int64
	if err := d.bun.NewSelect().Table("changes").Column("number").Scan(ctx, &number); err != nil {
		return 0, d.fault(err, "count changes")
	}
	return number, nil
}
