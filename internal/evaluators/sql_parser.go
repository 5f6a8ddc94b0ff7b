// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wasilibs/go-pgquery/parser"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

const (
	// maxSQLTokens is half of what it takes at least to exhaust the parser's
	// stack, one level for each token.
	maxSQLTokens = 1500
	sqlStart     = time.Minute
	sqlPatience  = 10 * time.Second
)

// Messages of both parse and scan have their list in this field.
const listField = 2

// sqlParser is PostgreSQL's parser. It is one instance, used by one caller at a
// time: another would take seconds to start and as much memory again. A parser
// that failed in any other way than by refusing a text is not used again,
// because the answers after that cannot be trusted.
type sqlParser struct {
	begin sync.Once
	// turn holds a token when the parser is started and free.
	turn chan struct{}
	// broken is closed when the parser must not be used any more.
	broken chan struct{}
	count  func(text string) (int, error)
}

func newSQLParser() *sqlParser {
	return &sqlParser{turn: make(chan struct{}, 1), broken: make(chan struct{}), count: countStatements}
}

// start begins to start the parser and does not wait.
func (p *sqlParser) start() {
	p.begin.Do(func() {
		go func() {
			if _, err := p.call("SELECT 1"); err != nil {
				close(p.broken)
				return
			}
			p.turn <- struct{}{}
		}()
	})
}

// statements counts the statements of a text: none if it is not SQL.
func (p *sqlParser) statements(ctx context.Context, text string) (int, error) {
	p.start()
	ctx, cancel := context.WithTimeout(ctx, sqlStart)
	defer cancel()
	select {
	case <-p.turn:
	case <-p.broken:
		return 0, fault.New(fault.Unavailable, "the SQL parser has failed and is out of use until a restart")
	case <-ctx.Done():
		return 0, fault.Wrap(fault.Unavailable, ctx.Err(), "the SQL parser is busy")
	}
	type outcome struct {
		statements int
		err        error
	}
	done := make(chan outcome, 1)
	go func() {
		statements, err := p.call(text)
		done <- outcome{statements, err}
	}()
	select {
	case got := <-done:
		if errors.Is(got.err, errParserFailed) {
			close(p.broken)
			return 0, got.err
		}
		p.turn <- struct{}{}
		return got.statements, got.err
	case <-time.After(sqlPatience):
		close(p.broken)
		return 0, fmt.Errorf("%w: it does not end", errParserFailed)
	}
}

var errParserFailed = errors.New("the SQL parser failed")

// call turns what the parser panics with into an error.
func (p *sqlParser) call(text string) (statements int, err error) {
	defer func() {
		if recover() != nil {
			statements, err = 0, errParserFailed
		}
	}()
	return p.count(text)
}

func countStatements(text string) (int, error) {
	tokens, err := parser.ScanToProtobuf(text)
	if err != nil {
		return 0, nil //nolint:nilerr // what has no tokens has no statements
	}
	switch n, err := listLength(tokens); {
	case err != nil:
		return 0, err
	case n > maxSQLTokens:
		return 0, fault.New(fault.TooLarge, "input.text has more than %d tokens", maxSQLTokens)
	}
	tree, err := parser.ParseToProtobuf(text)
	if err != nil {
		return 0, nil //nolint:nilerr // a text that the parser refuses is the answer no
	}
	return listLength(tree)
}

// listLength counts the elements of the list in an encoded message.
func listLength(message []byte) (int, error) {
	count := 0
	for len(message) > 0 {
		field, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return 0, errParserFailed
		}
		if field == listField {
			count++
		}
		rest := protowire.ConsumeFieldValue(field, kind, message[size:])
		if rest < 0 {
			return 0, errParserFailed
		}
		message = message[size+rest:]
	}
	return count, nil
}
