// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/model"
)

// account is what is known of a model since the process began.
type account struct {
	mu     sync.Mutex
	status model.Status
}

func (a *account) called(c *model.Call, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &a.status
	if c.Sent {
		s.Requests++
		s.Took += c.Took
	}
	if c.Reason != "" {
		s.Errors++
		s.LastReason, s.LastError = c.Reason, now
	}
	s.PromptTokens += c.Usage.PromptTokens
	s.CompletionTokens += c.Usage.CompletionTokens
	s.Cost += c.Usage.Cost
}

func (a *account) breaker(open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status.Open = open
}

func (a *account) read() model.Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// Status tells how the models do that are configured.
func (e *modelsExtension) Status() []model.Status {
	accounts := e.accounts.Load()
	if accounts == nil {
		return nil
	}
	list := make([]model.Status, len(*accounts))
	for i, a := range *accounts {
		list[i] = a.read()
	}
	return list
}
