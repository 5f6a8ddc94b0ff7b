// SPDX-License-Identifier: Apache-2.0

package partial

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSenderIsToldAllOnce(t *testing.T) {
	t.Parallel()
	ctx, r := With(t.Context())
	count, told := r.Result()
	require.Zero(t, count)
	require.Empty(t, told)
	Reject(ctx, 0, "nothing was refused")
	Warn(ctx, "some are old")
	Reject(ctx, 2, "two are broken")
	Reject(ctx, 1, "two are broken")
	Warn(ctx, "some are old")
	count, told = r.Result()
	require.EqualValues(t, 3, count)
	require.Equal(t, "some are old; two are broken", told)
	Warn(t.Context(), "no one listens")
	Reject(t.Context(), 1, "no one listens")
}
