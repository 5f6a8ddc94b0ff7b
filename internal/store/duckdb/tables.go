// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"fmt"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// tables are the rows on their way into one partition, by table.
type tables struct {
	environments, origins, shapes, judgements *table
	spans, evaluations, messages, replaced    *table
}

// The kinds of the columns, in the order of the latest format.
func newTables() tables {
	const i, s, t, l = kindInt, kindSmall, kindText, kindTexts
	return tables{
		environments: newTable("environments", s, t, i),
		origins:      newTable("origins", s, t, t, t, t, l, l),
		shapes:       newTable("shapes", s, l, l, l, l, l, l),
		judgements:   newTable("judgements", append([]mapping.Type{s}, judgementColumns.kinds()...)...),
		spans:        newTable("spans", spanColumns.kinds()...),
		evaluations:  newTable("evaluations", evaluationColumns.kinds()...),
		messages:     newTable("messages", s, i, i, i, i, l, l, l, l),
		replaced:     newTable("replaced", i, i),
	}
}

func (t tables) all() []*table {
	return []*table{t.environments, t.origins, t.shapes, t.judgements, t.spans, t.evaluations, t.messages, t.replaced}
}

func (t tables) close() {
	for _, x := range t.all() {
		x.close()
	}
}

// open lets rows go to p, within the transaction of conn.
func (t tables) open(conn mapping.Connection, p *partition) {
	for _, x := range t.all() {
		x.open(conn, p.alias())
	}
}

// finish hands all rows over to the transaction.
func (t tables) finish() error {
	for _, x := range t.all() {
		if err := x.finish(); err != nil {
			return fmt.Errorf("append to %s: %w", x.name, err)
		}
	}
	return nil
}

// abandon forgets all rows.
func (t tables) abandon() {
	for _, x := range t.all() {
		x.abandon()
	}
}
