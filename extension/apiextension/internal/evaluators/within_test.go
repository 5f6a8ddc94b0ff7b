// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Who asks is answered in time, also by an evaluator that computes on.
func TestAnExecutionThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	goOn, left := make(chan struct{}), make(chan struct{})
	_, err := within(ctx, func(context.Context) (eval.Result, error) {
		defer close(left)
		<-goOn
		return eval.Result{}, nil
	})
	require.True(t, fault.Is(err, fault.Unavailable))
	require.ErrorContains(t, err, "the execution took too long")
	select {
	case <-left:
		require.Fail(t, "its place is not free while it computes")
	default:
	}
	close(goOn)
	<-left

	mine := errors.New("what the evaluator says")
	_, err = within(ctx, func(ctx context.Context) (eval.Result, error) {
		<-ctx.Done()
		return eval.Result{}, mine
	})
	require.ErrorIs(t, err, mine)
	_, err = within(t.Context(), func(context.Context) (eval.Result, error) { panic("a user's text") })
	require.EqualError(t, err, "execution panicked with a string")
}
