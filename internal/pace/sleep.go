// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"context"
	"time"
)

// Sleep waits for d, or returns the context's error as soon as it ends.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
