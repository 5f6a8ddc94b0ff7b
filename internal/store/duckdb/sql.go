// SPDX-License-Identifier: Apache-2.0

package duckdb

import _ "embed"

// The statements, each explained in its file.
var (
	//go:embed sql/late.sql
	lateSQL string
	//go:embed sql/passed.sql
	passedSQL string
	//go:embed sql/recent.sql
	recentSQL string
	//go:embed sql/hints.sql
	hintsSQL string
	//go:embed sql/oldest.sql
	oldestSQL string
	//go:embed sql/spots.sql
	spotsSQL string
	//go:embed sql/heads.sql
	headsSQL string
	//go:embed sql/owedrows.sql
	owedRowsSQL string
	//go:embed sql/unexpired.sql
	unexpiredSQL string
	//go:embed sql/traces.sql
	tracesSQL string
)
