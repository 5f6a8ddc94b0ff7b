// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"sync"
	"time"
)

// periodic does a round of work at once, and then one each interval, or earlier
// when it is woken.
type periodic struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

func startPeriodic(interval time.Duration, round func(context.Context)) *periodic {
	return startWoken(interval, nil, round)
}

// startWoken starts rounds that do not wait for their time where something is received
// from wake.
func startWoken(interval time.Duration, wake <-chan struct{}, round func(context.Context)) *periodic {
	ctx, cancel := context.WithCancel(context.Background())
	p := &periodic{cancel: cancel}
	p.wg.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for ctx.Err() == nil { // a tick may come together with the end
			round(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			case <-wake:
			}
		}
	})
	return p
}

// stop ends the rounds, the present one too, and waits for that.
func (p *periodic) stop() {
	p.cancel()
	p.wg.Wait()
}
