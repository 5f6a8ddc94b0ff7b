// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// stopping ends what keeps servers from ending. During shutdown a server
// waits for every request under way, for as long as its client takes to send
// the rest of it.
type stopping struct {
	wait    time.Duration
	servers sync.Map           // *http.Server that served a request, as keys
	cancel  context.CancelFunc // nil before it began
	done    sync.WaitGroup
}

// again is how often what has come since is ended.
const again = 100 * time.Millisecond

// note remembers the HTTP server that serves the request of ctx, if one does.
func (s *stopping) note(ctx context.Context) {
	server, ok := ctx.Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return
	}
	if _, known := s.servers.Load(server); !known {
		s.servers.Store(server, nil)
	}
}

// begin lets requests go on for a while and then ends them, until end is called.
func (s *stopping) begin(calls *receiving) {
	if s.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.done.Go(func() {
		pause := time.NewTimer(s.wait)
		defer pause.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
			s.servers.Range(func(server, _ any) bool {
				_ = server.(*http.Server).Close() // its owner waits for it, and hears of errors
				return true
			})
			calls.cancelAll()
			pause.Reset(again)
		}
	})
}

func (s *stopping) end() {
	if s.cancel != nil {
		s.cancel()
	}
	s.done.Wait()
}
