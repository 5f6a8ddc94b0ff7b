// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model"
)

func TestForbiddenAddresses(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"169.254.169.254", "169.254.170.2", "fe80::1", "[fe80::1%25eth0]", "fe80::1%eth0", "fd00:ec2::254", "fd00:ec2::23", "::ffff:169.254.169.254",
		"64:ff9b::a9fe:a9fe", "100.100.100.200", "metadata", "metadata.google.internal", "METADATA.google.internal.",
	} {
		require.True(t, model.Forbidden(host), host)
	}
	for _, host := range []string{"127.0.0.1", "10.0.0.1", "::1", "fd00::1", "api.openai.com", "metadata.example", "64:ff9b::808:808", "100.100.100.201"} {
		require.False(t, model.Forbidden(host), host)
	}
}

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
