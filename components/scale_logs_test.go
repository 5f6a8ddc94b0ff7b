// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// While ClickHouse is away senders try again and again: the log of a gateway says so in
// lines that can be counted, each of which is one entry.
func TestAnOutageDoesNotFillTheLog(t *testing.T) {
	t.Parallel()
	spans := clickhousetest.Own(t)
	f := startFleetOn(t, spans.DSN(), postgrestest.One(t).Database(t), startJudge(t), 1, 0)
	h := f.gateways[0]
	key := h.key(t, "ours")
	require.NoError(t, h.exportGRPC(t, key, someTraces(1, 1)))
	spans.Kill(t)
	before := len(h.Output())
	grpc := h.doors(t)[0]
	const tries, atOnce = 300, 50
	var senders errgroup.Group
	senders.SetLimit(atOnce)
	for range tries {
		senders.Go(func() error {
			if err := grpc.send(t.Context(), key, someTraces(2, 1)); status.Code(err) != codes.Unavailable {
				return fmt.Errorf("not refused so that it is tried again: %w", err)
			}
			return nil
		})
	}
	require.NoError(t, senders.Wait())
	told := h.Output()[before:]
	require.Contains(t, told, "no server answers at the address of the DSN")
	messages := map[string]int{}
	for line := range strings.Lines(told) {
		fields := strings.Split(line, "\t")
		require.Regexp(t, `^\d{4}-\d\d-\d\dT`, fields[0], "a line of a stack")
		messages[fields[3]]++
	}
	const most = 2 * 20 // of two minutes
	for message, times := range messages {
		require.LessOrEqual(t, times, most, message)
	}
}
