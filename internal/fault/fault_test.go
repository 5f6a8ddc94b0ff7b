// SPDX-License-Identifier: Apache-2.0

package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestKindIsThatOfTheOutermostFault(t *testing.T) {
	t.Parallel()
	inner := fault.New(fault.NotFound, "setup %q not found", "m1")
	outer := fault.Wrap(fault.Invalid, inner, "cannot use %q", "m1")
	require.Equal(t, fault.Invalid, fault.KindOf(outer))
	require.Equal(t, fault.NotFound, fault.KindOf(fmt.Errorf("while reading: %w", inner)))
	require.Equal(t, fault.Internal, fault.KindOf(io.EOF))
	require.Equal(t, fault.Kind(""), fault.KindOf(nil))
	require.True(t, fault.Is(outer, fault.Invalid))
	require.False(t, fault.Is(nil, fault.Internal))
}

func TestCallersSeeTheMessageAndOperatorsTheCause(t *testing.T) {
	t.Parallel()
	err := fault.Wrap(fault.Unavailable, io.ErrUnexpectedEOF, "the store is down")
	require.Equal(t, "the store is down", fault.Message(err))
	require.Equal(t, "the store is down: unexpected EOF", err.Error())
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "plain", fault.New(fault.Conflict, "plain").Error())
}

func TestInternalDetailStaysInside(t *testing.T) {
	t.Parallel()
	require.Equal(t, "internal error", fault.Message(errors.New("secret")))
	require.Equal(t, "internal error", fault.Message(fault.New(fault.Internal, "secret")))
}
