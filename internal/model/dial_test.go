// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model"
)

// The address is looked at when a connection is made: a name may mean another
// one by then.
func TestNothingConnectsToForbiddenAddresses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	model.Harden(transport, false, false)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for _, url := range []string{"http://169.254.169.254/latest/meta-data/", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]:80/", "http://2852039166/"} {
		_, err := client.Get(url)
		require.Error(t, err, url)
		if url != "http://2852039166/" { // no resolver knows it, and dialling it as a number is not done
			require.ErrorContains(t, err, "metadata services", url)
		}
	}
	res, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Nil(t, transport.Proxy, "the environment's")
}
