// SPDX-License-Identifier: Apache-2.0

//go:build oldclickhouse

package storeextension

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// startOld starts Debian's ClickHouse, which is 18.16, until the test ends. Its user
// "default" has the password "right". It returns the host and port of the HTTP interface
// and of the native protocol.
func startOld(t *testing.T) (overHTTP, native string) {
	t.Helper()
	program, err := exec.LookPath("clickhouse-server")
	require.NoError(t, err, "Debian's ClickHouse is needed: apt-get install clickhouse-server")
	overHTTP, err = testbed.FreeAddress()
	require.NoError(t, err)
	native, err = testbed.FreeAddress()
	require.NoError(t, err)
	dir := t.TempDir()
	config, users := filepath.Join(dir, "config.xml"), filepath.Join(dir, "users.xml")
	require.NoError(t, os.WriteFile(users, []byte(`<yandex>
<profiles><default/></profiles>
<quotas><default/></quotas>
<users><default>
	<password>right</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
</default></users>
</yandex>`), 0o600))
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `<yandex>
<logger><level>warning</level><console>1</console></logger>
<listen_host>127.0.0.1</listen_host>
<http_port>%s</http_port>
<tcp_port>%s</tcp_port>
<path>%s/data/</path>
<tmp_path>%[3]s/tmp/</tmp_path>
<users_config>%s</users_config>
<default_profile>default</default_profile>
<default_database>default</default_database>
<mark_cache_size>16777216</mark_cache_size>
</yandex>`, port(t, overHTTP), port(t, native), dir, users), 0o600))
	server := exec.CommandContext(t.Context(), program, "--config-file="+config)
	server.Dir = dir
	server.WaitDelay = time.Minute
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended by itself
		_ = server.Wait()
	})
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+overHTTP+"/ping", nil)
		require.NoError(c, err)
		resp, err := http.DefaultClient.Do(r)
		require.NoError(c, err)
		require.NoError(c, resp.Body.Close())
		require.Equal(c, http.StatusOK, resp.StatusCode)
		conn, err := net.Dial("tcp", native)
		require.NoError(c, err)
		require.NoError(c, conn.Close())
	}, time.Minute, 50*time.Millisecond)
	return overHTTP, native
}

// The error for a server that is far too old differs from that for a refused password, over both
// protocols, in one sentence and without any of the DSN.
func TestAnOldClickHouseIsRefused(t *testing.T) {
	t.Parallel()
	overHTTP, native := startOld(t)
	for _, x := range []struct{ name, dsn, says string }{
		{"HTTP", "http://default:right@" + overHTTP + "/default", "the server is an old one, and ClickHouse 26.3 or newer is needed"},
		{"HTTP, wrong password", "http://default:hidden@" + overHTTP + "/default", "the server refuses the user or the password of the DSN"},
		{"HTTP, no such user", "http://hidden:right@" + overHTTP + "/default", "the server refuses the user or the password of the DSN"},
		{"native", "clickhouse://default:right@" + native + "/default", "the server is ClickHouse 18.16, and ClickHouse 26.3 or newer is needed"},
		{"native, wrong password", "clickhouse://default:hidden@" + native + "/default", "the server refuses the user or the password of the DSN"},
		{"native, no such user", "clickhouse://hidden:right@" + native + "/default", "the server refuses the user or the password of the DSN"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			e, err := newExtension(serversConfig(t.TempDir(), x.dsn, ""), componenttest.NewNopTelemetrySettings(), openEngine)
			require.NoError(t, err)
			err = e.Start(t.Context(), componenttest.NewNopHost())
			require.ErrorContains(t, err, "open span store in ClickHouse: "+x.says)
			require.NotContains(t, err.Error(), "\n")
			require.NotContains(t, err.Error(), "hidden")
			require.NotContains(t, err.Error(), "right")
		})
	}
}
