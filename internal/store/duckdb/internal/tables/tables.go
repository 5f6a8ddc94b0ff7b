// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Tables are the rows on their way into one partition, by table.
type Tables struct {
	environments, origins, shapes, judgements *table
	spans, evaluations, messages, replaced    *table
	texts                                     *table
}

// New returns tables without rows, with the columns of the latest format in their
// order.
func New() Tables {
	const i, s, t, l = Int, Small, Text, ListOfText
	return Tables{
		environments: newTable("environments", s, t, i),
		origins:      newTable("origins", s, t, t, t, t, l, l),
		shapes:       newTable("shapes", s, l, l, l, l, l, l),
		judgements:   newTable("judgements", append([]mapping.Type{s}, judgementColumns.kinds()...)...),
		spans:        newTable("spans", spanColumns.kinds()...),
		evaluations:  newTable("evaluations", evaluationColumns.kinds()...),
		messages:     newTable("messages", s, i, i, i, i, l, l, l, l),
		replaced:     newTable("replaced", i, i),
		texts:        newTable("texts", i, t, t),
	}
}

func (t Tables) all() []*table {
	return []*table{t.environments, t.origins, t.shapes, t.judgements, t.spans, t.evaluations, t.messages, t.replaced, t.texts}
}

// Close frees their memory, which is not Go's.
func (t Tables) Close() {
	for _, x := range t.all() {
		x.close()
	}
}

// Open lets rows go to the partition that is attached under the name catalog,
// within the transaction of conn.
func (t Tables) Open(conn mapping.Connection, catalog string) {
	for _, x := range t.all() {
		x.open(conn, catalog)
	}
}

// Finish hands all rows over to the transaction. After an error the transaction
// must not be committed.
func (t Tables) Finish() error {
	for _, x := range t.all() {
		if err := x.finish(); err != nil {
			return fmt.Errorf("append to %s: %w", x.name, err)
		}
	}
	return nil
}

// Abandon forgets the rows that were not handed over.
func (t Tables) Abandon() {
	for _, x := range t.all() {
		x.abandon()
	}
}

// Environment adds the row of an environment, which has this code in the
// partition.
func (t Tables) Environment(code int32, env tenant.Environment) {
	x := t.environments
	x.small(code)
	x.text(string(env.ID))
	x.int(int64(env.Retention))
	x.end()
}

// Replacement adds the note that a row of the partition with this serial is
// replaced by one of this partition.
func (t Tables) Replacement(serial, seq uint32) {
	x := t.replaced
	x.int(int64(serial))
	x.int(int64(seq))
	x.end()
}
