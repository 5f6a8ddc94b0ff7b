// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
	"github.com/touchstone-otel/touchstone/internal/evaluators/sqlparser"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type sqlValidatorInput struct {
	Text string `json:"text" doc:"The text that should be SQL." need:"required" span:"output" whole:"true"`
}

type sqlValidatorOutput struct {
	Valid bool `json:"is_valid_sql" doc:"Whether PostgreSQL's parser takes the text for one or more statements."`
	eval.Judged
}

var _ = define(sqlValidator(sqlparser.New()))

func sqlValidator(parser *sqlparser.Parser) eval.Definition[sqlValidatorInput, eval.None, sqlValidatorOutput] {
	return eval.Definition[sqlValidatorInput, eval.None, sqlValidatorOutput]{
		Slug: "sql-validator",
		Doc: "Tells whether a text is SQL as PostgreSQL 17 reads it: one statement or more, by its own parser. Tables, columns and types are " +
			"not looked up, and other dialects, Markdown fences and texts without a statement are not valid. A text of more than 1,500 tokens is refused, " +
			"and one with thousands of pluses or starts of comments in a row.",
		// The parser takes seconds to start; a setup that names it starts it.
		Check: func(eval.None) error {
			parser.Start()
			return nil
		},
		Run: func(ctx context.Context, in sqlValidatorInput, _ eval.None) (sqlValidatorOutput, error) {
			// The parser would take a NUL for the end.
			if strings.IndexByte(in.Text, 0) >= 0 || strings.TrimFunc(in.Text, pytext.IsSpace) == "" {
				return sqlValidatorOutput{Judged: reasoned("The text contains no SQL statement.")}, nil
			}
			statements, err := parser.Statements(ctx, in.Text)
			if statements > 0 {
				return sqlValidatorOutput{Valid: true, Judged: reasoned("PostgreSQL accepts the text as " + wording.Count(statements, "statement") + ".")}, err
			}
			return sqlValidatorOutput{Judged: reasoned("PostgreSQL finds a syntax error or no statement in the text.")}, err
		},
		Examples: []eval.Example{
			{About: "a query", Input: `{"text": "SELECT name FROM users WHERE id = $1"}`, Want: `{"is_valid_sql": true}`},
			{About: "two statements", Input: `{"text": "SELECT 1; SELECT 2"}`, Want: `{"is_valid_sql": true}`},
			{About: "a misspelt word", Input: `{"text": "SELEC 1"}`, Want: `{"is_valid_sql": false}`},
			{About: "another dialect", Input: `{"text": "SELECT TOP 5 * FROM users"}`, Want: `{"is_valid_sql": false}`},
			{About: "nothing but a comment", Input: `{"text": "-- SELECT 1"}`, Want: `{"is_valid_sql": false}`},
		},
	}
}
