// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"bytes"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// serversConfig is of stores on servers: with no DSN of PostgreSQL the control store
// is in a directory.
func serversConfig(dir, spans, control string) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Directory = dir
	cfg.Spans.ClickHouse.GetOrInsertDefault().DSN = configopaque.String(spans)
	if control != "" {
		cfg.Control.Postgres = configoptional.Some(PostgresConfig{DSN: configopaque.String(control), MaxConnections: 4})
	}
	return cfg
}

// The start reports what is wrong with a server, in one sentence and without any
// of the DSN.
func TestAClickHouseThatIsNoGoodIsRefused(t *testing.T) {
	t.Parallel()
	closed, err := testbed.FreeAddress()
	require.NoError(t, err)
	newer := clickhousetest.Database(t, t.Name())
	answering := func(t *testing.T, version, at, exception string) string {
		return clickhousetest.Answering(t, version, func(statement string) string {
			if strings.Contains(statement, at) {
				return exception
			}
			return ""
		})
	}
	for name, x := range map[string]struct {
		dsn  func(t *testing.T) string
		says string
	}{
		"no server": {
			func(*testing.T) string { return "http://127.0.0.1:" + port(t, closed) + "/spans" },
			"no server answers at the address of the DSN: connection refused",
		},
		"wrong password": {
			func(t *testing.T) string {
				return answering(t, "26.3.1", "SELECT", "Code: 516. DB::Exception: hidden: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)")
			},
			"the server refuses the user or the password of the DSN",
		},
		"no database": {
			func(t *testing.T) string { return strings.Replace(clickhousetest.DSN(t), "/default", "/nowhere", 1) },
			"the database of the DSN is not there: make it before the first start",
		},
		"a missing grant": {
			func(t *testing.T) string {
				return answering(t, "26.3.1", "CREATE TABLE", "Code: 497. DB::Exception: hidden: Not enough privileges. To execute this query, it's necessary to have the grant CREATE TABLE ON spans.migrations. (ACCESS_DENIED)")
			},
			"the user of the DSN lacks the grant CREATE TABLE on its database",
		},
		"an old server": {
			func(t *testing.T) string { return answering(t, "25.8.2.1", "nothing", "") },
			"the server is ClickHouse 25.8, and ClickHouse 26.3 or newer is needed",
		},
		"something else": {
			func(t *testing.T) string { return notFound(t) + "/spans" },
			"what answers at the address of the DSN is not the HTTP interface of ClickHouse",
		},
		"another protocol": {
			func(t *testing.T) string {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, l.Close()) })
				go func() {
					for {
						c, err := l.Accept()
						if err != nil {
							return
						}
						go func() { // a client may begin a connection before it ends the last
							_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
							_, _ = io.Copy(io.Discard, c) // until the client ends
							_ = c.Close()
						}()
					}
				}()
				return "clickhouse://hidden:hidden@" + l.Addr().String() + "/spans"
			},
			"what answers at the address of the DSN is not the native protocol of ClickHouse: the DSN of its HTTP interface begins with http or https",
		},
		"no TLS": {
			func(t *testing.T) string {
				return strings.Replace(notFound(t), "http://", "https://hidden:hidden@", 1) + "/spans"
			},
			"the server offers no TLS, which the DSN asks for",
		},
		"native TLS to a port without": {
			func(t *testing.T) string {
				return strings.Replace(notFound(t), "http://", "clickhouse://hidden:hidden@", 1) + "/spans?secure=true"
			},
			"the server offers no TLS, which the DSN asks for",
		},
		"a server that hangs up": {
			func(t *testing.T) string {
				s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
				t.Cleanup(s.Close)
				return s.URL + "/spans"
			},
			"the server ended the connection: its port may be that of another protocol than the scheme of the DSN says (http, https or clickhouse)",
		},
		"a very old server": {
			func(t *testing.T) string {
				return answering(t, "18.16.1", "SELECT", "Code: 115, e.displayText() = DB::Exception: Unknown setting client_protocol_version, e.what() = DB::Exception")
			},
			"the server is an old one, and ClickHouse 26.3 or newer is needed",
		},
		"the schema of a newer release": {
			func(t *testing.T) string {
				e := start(t, serversConfig(t.TempDir(), newer, ""))
				require.NoError(t, e.Shutdown(t.Context()))
				options, err := driver.ParseDSN(newer)
				require.NoError(t, err)
				conn, err := driver.Open(options)
				require.NoError(t, err)
				require.NoError(t, conn.Exec(t.Context(), "INSERT INTO migrations SELECT 9999, now64(3)"))
				require.NoError(t, conn.Close())
				return newer
			},
			"the database has the schema of a newer release: 9999, and this one knows ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := strings.Replace(x.dsn(t), "http://", "http://hidden:hidden@", 1)
			for _, control := range []string{"", "postgres://hidden:hidden@127.0.0.1:1/hidden"} {
				dir := t.TempDir()
				e, err := newExtension(serversConfig(dir, dsn, control), componenttest.NewNopTelemetrySettings(), openEngine)
				require.NoError(t, err)
				err = e.Start(t.Context(), componenttest.NewNopHost())
				at := "open stores in \"" + dir + "\""
				if control != "" {
					at = "open stores"
				}
				require.ErrorContains(t, err, at+": open span store in ClickHouse: "+x.says)
				require.NotContains(t, err.Error(), "\n")
				require.NotContains(t, err.Error(), "hidden")
			}
		})
	}
}

func port(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	return port
}

// Spans in ClickHouse with either control store: what is stored and pending is there after
// a restart, and what is leased in PostgreSQL is leased for all processes.
func TestStoresOnServersAreLentAndKept(t *testing.T) {
	t.Parallel()
	for name, control := range map[string]func() string{
		"SQLite":     func() string { return "" },
		"PostgreSQL": func() string { return postgrestest.One(t).Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cfg := serversConfig(dir, clickhousetest.Database(t, t.Name()), control())
			e := start(t, cfg)
			org, keys := storetest.NewOrganization("acme", "prd")
			env := keys[0].Environment
			require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))
			s := storetest.Span(env, 1)
			now := time.Now()
			s.Start = now.UnixNano()
			require.NoError(t, storetest.Write(t.Context(), e.Engine(), []store.Record{storetest.Record(env, s, storetest.Deferred("set_1", "tone", now))}))
			e.health.look(t.Context())
			require.Empty(t, e.Problems())
			require.NoError(t, e.Shutdown(t.Context()))

			e = start(t, cfg)
			page, err := e.Engine().Search(t.Context(), env, query.Query{
				From: now.Add(-time.Minute).UnixNano(), To: now.Add(time.Minute).UnixNano(), Limit: 10, Order: query.Order{By: query.SortTimestamp},
			})
			require.NoError(t, err)
			require.Len(t, page.Spans, 1)
			leased, err := e.Backlog().Lease(t.Context(), now, now.Add(time.Minute), 10)
			require.NoError(t, err)
			require.Len(t, leased, 1)
			if name == "PostgreSQL" {
				other := start(t, cfg)
				leased, err = other.Backlog().Lease(t.Context(), now, now.Add(time.Minute), 10)
				require.NoError(t, err)
				require.Empty(t, leased)
				require.NoDirExists(t, dir+"/backups")
			}
			_, err = e.Backups().Begin("one")
			require.Equal(t, fault.NotConfigured, fault.KindOf(err))
		})
	}
}

// A process that ended between its two writes left something that is in no queue: of the
// other processes one puts it there, and when that has ended another one.
func TestOneProcessSweeps(t *testing.T) {
	t.Parallel()
	cfg := serversConfig("", clickhousetest.Database(t, t.Name()), postgrestest.One(t).Database(t))
	a := start(t, cfg)
	stopRounds(a)
	// A lead that was given up is another's once the server has seen that.
	leads := func(e *storeExtension, before time.Time) {
		require.Eventually(t, func() bool {
			e.sweeper.sweep(t.Context(), math.MinInt64, before)
			return e.sweeper.lead != nil
		}, time.Minute, 10*time.Millisecond)
	}
	leads(a, time.Now().Add(-sweptAfter))
	b := start(t, cfg)
	half, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: string(cfg.Spans.ClickHouse.Get().DSN), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, half.Close()) })
	env := storetest.Environment("prd")
	now := time.Now()
	leave := func(n int) {
		s := storetest.Span(env, n)
		s.Start = now.UnixNano()
		require.NoError(t, storetest.Write(t.Context(), half, []store.Record{storetest.Record(env, s, storetest.Deferred("set_1", "tone", now))}))
	}
	owed := func(e *storeExtension) int {
		leased, err := e.Backlog().Lease(t.Context(), now.Add(time.Second), now.Add(time.Hour), 10)
		require.NoError(t, err)
		return len(leased)
	}
	leave(1)
	stopRounds(b)
	b.sweeper.sweep(t.Context(), math.MinInt64, now.Add(time.Minute))
	require.Nil(t, b.sweeper.lead)
	require.Zero(t, owed(b), "the other one leads")
	a.sweeper.sweep(t.Context(), math.MinInt64, now.Add(-time.Minute))
	require.Zero(t, owed(b), "it may be on its way")
	a.sweeper.sweep(t.Context(), math.MinInt64, now.Add(time.Minute))
	require.Equal(t, 1, owed(b))
	a.sweeper.sweep(t.Context(), math.MinInt64, now.Add(time.Minute))
	require.Zero(t, owed(a), "what is leased stays so")

	leave(2)
	require.NoError(t, a.Shutdown(t.Context()))
	leads(b, now.Add(time.Minute))
	require.Equal(t, 1, owed(b))
}

// What the configuration says that a query may take goes to the server with every query,
// also where its caller would wait for longer.
func TestLimitsOfQueriesReachTheServer(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(clickhousetest.Database(t, t.Name()))
	require.NoError(t, err)
	var mu sync.Mutex
	var sent []url.Values
	between := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: server.Scheme, Host: server.Host})
		statement, err := io.ReadAll(r.In.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Out.Body = io.NopCloser(bytes.NewReader(statement))
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(string(statement), "FROM spans") {
			sent = append(sent, r.In.URL.Query())
		}
	}})
	t.Cleanup(between.Close)
	said, err := confmap.NewRetrievedFromYAML([]byte("{directory: " + t.TempDir() + ", spans: {clickhouse: {dsn: 'http://" + between.Listener.Addr().String() + server.Path +
		"', query_timeout: 7s, query_memory_mib: 4096, query_threads: 3}}}"))
	require.NoError(t, err)
	conf, err := said.AsConf()
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, conf.Unmarshal(cfg))
	require.NoError(t, cfg.Validate())
	e := start(t, cfg)
	env, now := storetest.Environment("prd"), time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	_, err = e.Engine().Search(ctx, env, query.Query{From: now.Add(-time.Minute).UnixNano(), To: now.UnixNano(), Limit: 1, Order: query.Order{By: query.SortTimestamp}})
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, sent)
	for _, q := range sent {
		require.Equal(t, []string{"7", strconv.Itoa(4 << 30), "3"}, []string{q.Get("max_execution_time"), q.Get("max_memory_usage"), q.Get("max_threads")})
	}
}

// The metrics of a server: inserts, their rows and failures, and parts.
func TestInsertsAndPartsAreTold(t *testing.T) {
	t.Parallel()
	tel := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, tel.Shutdown(context.WithoutCancel(t.Context()))) })
	cfg := serversConfig(t.TempDir(), clickhousetest.Database(t, t.Name()), "")
	cfg.Spans.ClickHouse.Get().Inserts, cfg.Spans.ClickHouse.Get().Durability = byServer, ofDisk
	e, err := newExtension(cfg, tel.NewTelemetrySettings(), openEngine)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.WithoutCancel(t.Context()))) })
	env := storetest.Environment("prd")
	now := time.Now()
	for n := range 3 {
		s := storetest.Span(env, n)
		s.Start = now.UnixNano()
		require.NoError(t, storetest.Write(t.Context(), e.Engine(), []store.Record{storetest.Record(env, s)}))
		page, err := e.Engine().Search(t.Context(), env, query.Query{
			From: now.Add(-time.Minute).UnixNano(), To: now.Add(time.Minute).UnixNano(), Total: true, Order: query.Order{By: query.SortTimestamp},
		})
		require.NoError(t, err)
		require.EqualValues(t, n+1, page.Total, "what was answered is there")
	}
	for name, want := range map[string]int64{"touchstone_clickhouse_inserts": 3, "touchstone_clickhouse_insert_rows": 3, "touchstone_clickhouse_insert_failures": 0} {
		m, err := tel.GetMetric(name)
		require.NoError(t, err)
		require.Equal(t, want, m.Data.(metricdata.Sum[int64]).DataPoints[0].Value, name)
	}
	took, err := tel.GetMetric("touchstone_clickhouse_insert_time")
	require.NoError(t, err)
	require.Positive(t, took.Data.(metricdata.Sum[float64]).DataPoints[0].Value)
	parts, err := tel.GetMetric("touchstone_clickhouse_parts")
	require.NoError(t, err)
	require.Positive(t, parts.Data.(metricdata.Gauge[int64]).DataPoints[0].Value)
}

// notFound starts a server over HTTP that knows nothing, and returns its address.
func notFound(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	return s.URL
}
