// SPDX-License-Identifier: Apache-2.0

// Package sqlparser counts the statements of SQL with PostgreSQL's own parser.
package sqlparser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasilibs/go-pgquery/parser"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

const (
	// maxTokens is half of what it takes at least to exhaust the parser's
	// stack, one level for each token.
	maxTokens       = 1500
	startTimeout    = time.Minute
	defaultPatience = 10 * time.Second
)

// Messages of both parse and scan have their list in this field.
const listField = 2

// Parser is PostgreSQL's parser. It is one instance, used by one caller at a
// time: another would take seconds to start and as much memory again. While it
// works nothing can stop it, nor the world for collecting garbage: what takes it
// long must not come so far. An instance that failed in any other way than by
// refusing a text is dropped, because the answers after that cannot be trusted.
type Parser struct {
	// turn holds a token when the parser is started and free.
	turn chan struct{}
	// late is set while the parser works on a text that is no longer waited for.
	late     atomic.Bool
	patience time.Duration
	count    func(text string) (int, error)
	discard  func() // forgets unused instances

	mu sync.Mutex
	// failed is closed when the instance that is started or in use fails; it is nil
	// before one is started.
	failed chan struct{}
}

// New returns a parser that is not started.
func New() *Parser {
	return &Parser{turn: make(chan struct{}, 1), patience: defaultPatience, count: countStatements, discard: dropIdle}
}

// Start begins to start the parser, if it has not, and does not wait. What it
// returns is closed when the parser fails.
func (p *Parser) Start() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = make(chan struct{})
		go func() {
			if _, err := p.call("SELECT 1"); err != nil {
				p.drop()
				return
			}
			p.turn <- struct{}{}
		}()
	}
	return p.failed
}

// drop gives the instance up, so that the next start begins another.
func (p *Parser) drop() {
	p.discard()
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.failed)
	p.failed = nil
}

// Statements counts the statements of a text: none if it is not SQL.
func (p *Parser) Statements(ctx context.Context, text string) (int, error) {
	if scanWork(text) > maxWork {
		return 0, fault.New(fault.TooLarge, "input.text has too many characters of operators in a row")
	}
	if p.late.Load() {
		return 0, fault.New(fault.Unavailable, "the SQL parser is busy with a text that takes too long")
	}
	failed := p.Start()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-p.turn:
	case <-failed:
		return 0, fault.New(fault.Unavailable, "the SQL parser has failed and is started again")
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
		p.release(err)
		done <- outcome{statements, err}
	}()
	patience := time.NewTimer(p.patience)
	defer patience.Stop()
	select {
	case got := <-done:
		return got.statements, got.err
	case <-patience.C:
		p.late.Store(true)
		go func() {
			<-done
			p.late.Store(false)
		}()
		return 0, fmt.Errorf("%w: it takes too long", errParserFailed)
	}
}

// release ends a turn.
func (p *Parser) release(err error) {
	if errors.Is(err, errParserFailed) {
		p.drop()
		p.Start()
		return
	}
	p.turn <- struct{}{}
}

var errParserFailed = errors.New("the SQL parser failed")

// call turns what the parser panics with into an error.
func (p *Parser) call(text string) (statements int, err error) {
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
	case n > maxTokens:
		return 0, fault.New(fault.TooLarge, "input.text has more than %d tokens", maxTokens)
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
