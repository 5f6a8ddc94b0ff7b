// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

// confirmEvery is how often it is noted on disk that the setups are still those.
const confirmEvery = time.Minute

// follow asks the gateway until ctx ends.
func (e *setups) follow(ctx context.Context, asking *asker) {
	defer asking.client.CloseIdleConnections()
	failures, confirmed := 0, time.Time{}
	for {
		now, what, err := asking.ask(ctx, e.tag())
		if ctx.Err() != nil {
			return
		}
		e.count(ctx, what, 1)
		if err != nil {
			failures++
			e.warn(failures, err)
		} else {
			if failures > 0 {
				e.log.Info("setups are read from the gateway again")
			}
			failures = 0
			e.asked.Store(e.now().UnixNano())
			if what == changed {
				e.take(now.bundle, now.tag)
			}
			if what == changed || e.now().Sub(confirmed) >= confirmEvery {
				confirmed = e.now()
				e.keep()
			}
		}
		if pace.Sleep(ctx, e.wait(failures)) != nil {
			return
		}
	}
}

// tag returns that of the bundle that is worked with, "" where there is none.
func (e *setups) tag() string {
	if h := e.current.Load(); h != nil {
		return h.tag
	}
	return ""
}

// wait returns how long to wait after so many failures in a row. Sidecars that were
// started together do not ask together.
func (e *setups) wait(failures int) time.Duration {
	if failures == 0 {
		return pace.Spread(e.cfg.Interval)
	}
	return pace.Spread(pace.Doubled(e.cfg.Interval, e.cfg.MaxInterval, failures))
}

// warn logs once that the gateway does not answer. Metrics count the failed
// requests until it does.
func (e *setups) warn(failures int, err error) {
	if failures == 1 {
		e.log.Warn("setups cannot be read from the gateway: spans are judged by those that are known, and otherwise left to the gateway", zap.Error(err))
	}
}
