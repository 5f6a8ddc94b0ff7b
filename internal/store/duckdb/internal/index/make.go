// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"database/sql"
	_ "embed"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

var (
	//go:embed sql/tokens.sql
	tokensSQL string
	//go:embed sql/outputs.sql
	outputsSQL string
	//go:embed sql/verdicts.sql
	verdictsSQL string
)

// What a row takes in memory while it is sorted, in bytes. Measured: 23 and 57. The index
// of the engine's own on texts is made as a whole and takes 8 bytes for each: where it
// would take more room than there is, texts are scanned for.
const (
	tokenBytes   = 24
	verdictBytes = 64
	textBytes    = 8
)

// Statements returns those that fill the index of the partition that the connection
// uses, as the caller's transaction sees it. Each sorts what takes room bytes, or what a few
// spans have if that is more. Tokens are sorted by ranges of spans, so that no list of
// attributes is read twice; verdicts by fields, since queries look at few of many.
func Statements(ctx context.Context, conn *sql.Conn, room int64) ([]string, error) {
	var list []string
	for _, t := range Tables {
		list = append(list, "DELETE FROM "+t)
	}
	for i := range tables.Lists {
		ranges, err := rangesOf(ctx, conn, room/tokenBytes, "sum(len(h.kept"+strconv.Itoa(i)+"))", "spans s JOIN shapes h ON h.id = s.attr_shape")
		if err != nil {
			return nil, err
		}
		for _, r := range ranges {
			list = append(list, strings.NewReplacer("LIST", strconv.Itoa(i), "LONGEST", strconv.Itoa(Longest), "SOME", r.of("s")).Replace(tokensSQL))
		}
	}
	parts, err := partsOf(ctx, conn, room/verdictBytes)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		both := verdicts(p.condition(), p.seqs.of("e")+" AND "+p.seqs.of("s"))
		if p.shared {
			list = append(list, both[1])
		} else {
			list = append(list, both[0])
		}
	}
	// No one writes texts of a partition that takes in no more spans.
	var texts int64
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM texts").Scan(&texts); err != nil {
		return nil, err
	}
	if texts*textBytes <= room {
		list = append(list, "CREATE INDEX IF NOT EXISTS texts_id ON texts (id)")
	}
	return list, nil
}

// Ready returns the statements that have an index used that is in step with its rows.
func Ready() []string {
	return []string{"CREATE INDEX IF NOT EXISTS spans_seq ON spans (seq)", "INSERT INTO indexed SELECT " + probe}
}

// everyField is the condition of verdicts of all outputs.
const everyField = "true"

// verdicts returns the statements that add the verdicts of some outputs on some spans,
// given as conditions on field and on evaluations e and spans s: those of outputs that
// one setup asks for, and others.
func verdicts(fields, some string) []string {
	number := "CASE"
	for _, kind := range []string{"i", "f", "b", "s"} {
		number += " WHEN kind = '" + kind + "' THEN " + tables.SortedNumber("v", kind)
	}
	list := make([]string, 2)
	for i, kind := range []struct{ shared, latest string }{
		{"NOT IN", "said"},
		{"IN", "(SELECT field, arg_max(kind, age) AS kind, arg_max(v, age) AS v, seq FROM " +
			"(SELECT *, ended::HUGEINT * 4611686018427387904 + n AS age FROM said) GROUP BY field, seq)"},
	} {
		list[i] = strings.NewReplacer("OUTPUTS", outputsSQL, "FIELDS", fields, "SOME", some, "ASNUMBER", number+" END", "LONGEST", strconv.Itoa(Longest),
			"SHARED", kind.shared, "LATEST", kind.latest).Replace(verdictsSQL)
	}
	return list
}
