// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { Main(m) }

func connect(t *testing.T, dsn string, compression clickhouse.CompressionMethod) clickhouse.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(dsn)
	require.NoError(t, err)
	options.Compression = &clickhouse.Compression{Method: compression}
	conn, err := clickhouse.Open(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}

func TestTheEngineAnswersItsClient(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]clickhouse.CompressionMethod{"plain": clickhouse.CompressionNone, "LZ4": clickhouse.CompressionLZ4} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, Database(t, t.Name()), method)
			version, err := conn.ServerVersion()
			require.NoError(t, err)
			require.GreaterOrEqual(t, version.Version.Major, uint64(26))
			require.NoError(t, conn.Exec(t.Context(), "CREATE TABLE t (k Int64, v UInt64, m Map(LowCardinality(String), String)) ENGINE = ReplacingMergeTree(v) ORDER BY k"))
			for v := range uint64(2) {
				batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO t")
				require.NoError(t, err)
				for k := range int64(1000) {
					require.NoError(t, batch.Append(k, v, map[string]string{"a\x00'": "\\b"}))
				}
				require.NoError(t, batch.Send())
			}
			rows, err := conn.Query(t.Context(), "SELECT k, v, m FROM t FINAL ORDER BY k")
			require.NoError(t, err)
			n := int64(0)
			for rows.Next() {
				var k int64
				var v uint64
				var m map[string]string
				require.NoError(t, rows.Scan(&k, &v, &m))
				require.Equal(t, n, k)
				require.EqualValues(t, 1, v)
				require.Equal(t, map[string]string{"a\x00'": "\\b"}, m)
				n++
			}
			require.NoError(t, rows.Err())
			require.EqualValues(t, 1000, n)
			var exception *clickhouse.Exception
			require.ErrorAs(t, conn.Exec(t.Context(), "SELECT nothing"), &exception)
			require.EqualValues(t, 47, exception.Code)
			require.NoError(t, conn.Ping(t.Context()))
		})
	}
}

// An INSERT that is cut off stores nothing, though all its rows have come, and the next one is
// stored. The rows are two chunks, so that the engine has them all when the end is missing.
func TestAnInsertIsWholeOrNone(t *testing.T) {
	t.Parallel()
	dsn := Database(t, t.Name())
	conn := connect(t, dsn, clickhouse.CompressionNone)
	require.NoError(t, conn.Exec(t.Context(), "CREATE TABLE t (value Int64) ENGINE = MergeTree ORDER BY value"))
	const rows = (2*chunkSize - 16) / 8
	block := binary.AppendUvarint([]byte{1}, rows)
	block = append(block, "\x05value\x05Int64"...)
	for value := range uint64(rows) {
		block = binary.LittleEndian.AppendUint64(block, value)
	}
	require.Len(t, block, 2*chunkSize)
	for _, x := range []struct{ missing, status, stored int }{{1, http.StatusInternalServerError, 0}, {0, http.StatusOK, rows}} {
		require.Equal(t, x.status, insertAll(t, dsn, block, len(block)+x.missing))
		var n, sum uint64
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(), toUInt64(sum(value)) FROM t").Scan(&n, &sum))
		require.EqualValues(t, x.stored, n)
		require.EqualValues(t, x.stored*(rows-1)/2, sum)
	}
}

// insertAll sends data with a given length to a server, and returns the status of its
// answer.
func insertAll(t *testing.T, dsn string, data []byte, length int) (status int) {
	t.Helper()
	server, err := url.Parse(dsn)
	require.NoError(t, err)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Host)
	require.NoError(t, err)
	defer conn.Close()
	q := url.Values{"database": {server.Path[1:]}, "query": {"INSERT INTO t FORMAT Native"}}
	_, err = fmt.Fprintf(conn, "POST /?%s HTTP/1.1\r\nHost: clickhouse\r\nContent-Length: %d\r\n\r\n", q.Encode(), length)
	require.NoError(t, err)
	_, err = conn.Write(data)
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode
}

func TestADatabaseIsTheTestsOwn(t *testing.T) {
	t.Parallel()
	one, again := Database(t, "one"), Database(t, "one")
	require.Equal(t, one, again)
	require.NotEqual(t, one, Database(t, "two"))
	conn := connect(t, one, clickhouse.CompressionNone)
	require.NoError(t, conn.Exec(t.Context(), "CREATE TABLE t (k Int64) ENGINE = MergeTree ORDER BY k"))
	other := connect(t, Database(t, "two"), clickhouse.CompressionNone)
	require.Error(t, other.Exec(t.Context(), "SELECT * FROM t"))
}
