// SPDX-License-Identifier: Apache-2.0

package rest_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestOneRequestTooManyIsToldToComeBack(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	server := resttest.Server(t, tenant.Environment{ID: "acme", Quota: tenant.Quota{ConcurrentQueries: 2}})
	var counted atomic.Int64
	server.OverQuota = func() { counted.Add(1) }
	h := resttest.Handler(server, []rest.Route{
		resttest.Environment(http.MethodGet, "/slow", func(*http.Request, tenant.Environment) (rest.Response, error) {
			inside <- struct{}{}
			<-leave
			return rest.OK(nil), nil
		}),
		resttest.Environment(http.MethodGet, "/fast", func(*http.Request, tenant.Environment) (rest.Response, error) { return rest.OK(nil), nil }),
	})
	answers := make(chan *httptest.ResponseRecorder, 2)
	for range 2 {
		go func() { answers <- resttest.Call(t, h, http.MethodGet, "/slow", "") }()
		<-inside
	}
	for range 3 {
		refused := resttest.Call(t, h, http.MethodGet, "/fast", "")
		require.Equal(t, http.StatusTooManyRequests, refused.Code)
		require.Equal(t, "1", refused.Header().Get("Retry-After"))
		require.Contains(t, refused.Body.String(), "2 requests under way")
	}
	require.EqualValues(t, 3, counted.Load())
	leave <- struct{}{}
	require.Equal(t, http.StatusOK, (<-answers).Code)
	require.Equal(t, http.StatusOK, resttest.Call(t, h, http.MethodGet, "/fast", "").Code)
	leave <- struct{}{}
	require.Equal(t, http.StatusOK, (<-answers).Code)
}

// A request that comes when there is no place is answered when one becomes free in a moment,
// and refused only after that moment.
func TestARefusalTakesAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		server := resttest.Server(t, tenant.Environment{ID: "acme", Quota: tenant.Quota{ConcurrentQueries: 1}})
		h := resttest.Handler(server, []rest.Route{
			resttest.Environment(http.MethodGet, "/slow", func(*http.Request, tenant.Environment) (rest.Response, error) {
				<-leave
				return rest.OK(nil), nil
			}),
			resttest.Environment(http.MethodGet, "/fast", func(*http.Request, tenant.Environment) (rest.Response, error) { return rest.OK(nil), nil }),
		})
		answers := make(chan int, 300)
		ask := func(path string) { answers <- resttest.Call(t, h, http.MethodGet, path, "").Code }
		go ask("/slow")
		synctest.Wait()
		began := time.Now()
		go ask("/fast")
		require.Equal(t, http.StatusTooManyRequests, <-answers)
		require.Equal(t, 250*time.Millisecond, time.Since(began))
		go ask("/fast")
		synctest.Wait()
		leave <- struct{}{}
		require.Equal(t, http.StatusOK, <-answers)
		require.Equal(t, http.StatusOK, <-answers)

		go ask("/slow")
		synctest.Wait()
		for range 256 {
			go ask("/fast")
		}
		synctest.Wait()
		began = time.Now()
		ask("/fast")
		require.Equal(t, http.StatusTooManyRequests, <-answers)
		require.Zero(t, time.Since(began), "no more than so many wait")
		for range 256 {
			require.Equal(t, http.StatusTooManyRequests, <-answers)
		}
		leave <- struct{}{}
		require.Equal(t, http.StatusOK, <-answers)
	})
}
