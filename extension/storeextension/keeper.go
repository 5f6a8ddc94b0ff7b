// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"sync"
	"time"
)

// keeper does a round of work at once, and then one each interval.
type keeper struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

func startKeeper(interval time.Duration, round func(context.Context)) *keeper {
	ctx, cancel := context.WithCancel(context.Background())
	k := &keeper{cancel: cancel}
	k.wg.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for ctx.Err() == nil { // a tick may come together with the end
			round(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return k
}

// stop ends the rounds, the present one too, and waits for that.
func (k *keeper) stop() {
	k.cancel()
	k.wg.Wait()
}
