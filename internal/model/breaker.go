// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"time"

	"github.com/sony/gobreaker/v2"
)

// breaker leaves a server alone that failed several times in a row, and after
// a while lets one request through to see whether it is back. Only outages
// count: a refusal or a limit comes from a server that is well.
type breaker struct {
	circuit *gobreaker.CircuitBreaker[struct{}]
}

// newBreaker opens after so many failures in a row, for so long; 0 never.
func newBreaker(failures int, open time.Duration, changed func(open bool)) *breaker {
	if failures <= 0 {
		return nil
	}
	return &breaker{gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1,
		Timeout:     open,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= failures },
		IsSuccessful: func(err error) bool {
			return err == nil || !asFailure(err).outage()
		},
		IsExcluded: func(err error) bool {
			if err == nil {
				return false
			}
			reason := asFailure(err).reason
			return reason == ReasonBusy || reason == ReasonCancelled
		},
		OnStateChange: func(_ string, _, to gobreaker.State) { changed(to == gobreaker.StateOpen) },
	})}
}

// do calls unless the circuit is open.
func (b *breaker) do(call func() error) error {
	if b == nil {
		return call()
	}
	_, err := b.circuit.Execute(func() (struct{}, error) { return struct{}{}, call() })
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return &failure{reason: ReasonOpen, cause: err}
	}
	return err
}
