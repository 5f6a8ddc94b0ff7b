// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/operations"
	"github.com/touchstone-otel/touchstone/internal/connbound"
)

func load(t *testing.T, name string) *Config {
	t.Helper()
	all, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(t, err)
	part, err := all.Sub(name)
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, part.Unmarshal(cfg))
	return cfg
}

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	require.NoError(t, componenttest.CheckConfigStruct(createDefaultConfig()))
	cfg := load(t, "api")
	require.NoError(t, cfg.Validate())
	require.Equal(t, "127.0.0.1:8080", cfg.HTTP.NetAddr.Endpoint)
	require.EqualValues(t, 4<<20, cfg.HTTP.MaxRequestBodySize)
	require.Equal(t, component.MustNewID("store"), cfg.Store)
	require.Equal(t, component.MustNewID("keyauth"), cfg.Auth)
	require.Equal(t, 25*time.Second, cfg.RequestTimeout)
	require.Equal(t, 110*time.Second, cfg.ExecutionTimeout)
	require.Less(t, cfg.RequestTimeout, cfg.HTTP.WriteTimeout)
	require.Equal(t, operations.MonitoringConfig{DegradedAfter: 3 * time.Minute, ErrorAfter: 10 * time.Minute}, cfg.Monitoring)
}

func TestConfigIsRead(t *testing.T) {
	t.Parallel()
	cfg := load(t, "api/all")
	require.NoError(t, cfg.Validate())
	require.Equal(t, "0.0.0.0:80", cfg.HTTP.NetAddr.Endpoint)
	require.EqualValues(t, 1000, cfg.HTTP.MaxRequestBodySize)
	require.Equal(t, component.MustNewIDWithName("store", "far"), cfg.Store)
	require.Equal(t, component.MustNewIDWithName("keyauth", "strict"), cfg.Auth)
	require.Equal(t, 5*time.Second, cfg.RequestTimeout)
	require.Equal(t, operations.MonitoringConfig{DegradedAfter: time.Minute, ErrorAfter: time.Hour}, cfg.Monitoring)
	require.Equal(t, []string{"sql-validator"}, cfg.Warm)
	require.Equal(t, map[string]string{"answers": "ticket"}, cfg.AnnotationTasks)
	require.Equal(t, AlertsConfig{AllowPrivateTargets: true}, cfg.Alerts)
	require.Equal(t, connbound.Config{Max: 64, PerAddress: 8}, cfg.Connections)
	require.InDelta(t, 0.5, cfg.ChangesPerSecond, 0)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}, cfg.proxies())
}

func TestConfigSaysAllThatIsWrong(t *testing.T) {
	t.Parallel()
	cfg := &Config{}
	cfg.HTTP.Auth = configoptional.Some(confighttp.AuthConfig{})
	err := cfg.Validate()
	for _, key := range []string{`"http::auth"`, `"store"`, `"auth"`, `"request_timeout"`, `"http::max_request_body_size"`, `"execution_timeout"`, `"monitoring::degraded_after"`, `"connections::max"`, `"changes_per_second"`} {
		require.ErrorContains(t, err, key)
	}
	err = load(t, "api/slow").Validate()
	for _, want := range []string{
		`"request_timeout" must be shorter`, `"monitoring::error_after" must not be shorter`, `"warm" names an unknown evaluator: "nobody"`, `"trusted_proxies" must have addresses or networks`, `"annotation_tasks::answers" must name`,
	} {
		require.ErrorContains(t, err, want)
	}
	require.Error(t, confmap.NewFromStringMap(map[string]any{"unknown": 1}).Unmarshal(createDefaultConfig()))
}

// The table of the README and the struct tell the same.
func TestReadmeListsEveryKey(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([a-z_:]+)` \\| (.*?) \\|").FindAllStringSubmatch(string(readme), -1)
	documented := map[string]string{}
	for _, row := range rows {
		documented[row[1]] = row[2]
	}
	cfg := createDefaultConfig().(*Config)
	want := map[string]string{
		"http::endpoint":              "`" + cfg.HTTP.NetAddr.Endpoint + "`",
		"http::max_request_body_size": "`4194304`",
		"http::read_header_timeout":   "`" + cfg.HTTP.ReadHeaderTimeout.String() + "`",
		"http::read_timeout":          "`" + cfg.HTTP.ReadTimeout.String() + "`",
		"http::write_timeout":         "`" + cfg.HTTP.WriteTimeout.String() + "`",
	}
	value := reflect.ValueOf(cfg).Elem()
	for i := range value.NumField() {
		key := value.Type().Field(i).Tag.Get("mapstructure")
		switch v := value.Field(i); {
		case key == "" || key == "http":
		case v.Type() == reflect.TypeFor[component.ID]() && v.IsZero():
			want[key] = "none"
		case v.Type() == reflect.TypeFor[component.ID]():
			want[key] = "`" + v.Interface().(component.ID).String() + "`"
		case v.Kind() == reflect.Map, v.Kind() == reflect.Float64:
			want[key] = "`" + fmt.Sprint(v.Interface()) + "`"
		case v.Type() == reflect.TypeFor[[]string]():
			want[key] = "`[" + strings.Join(v.Interface().([]string), ", ") + "]`"
		case v.Type() == reflect.TypeFor[operations.MonitoringConfig]():
			want[key+"::degraded_after"] = "`" + v.Interface().(operations.MonitoringConfig).DegradedAfter.String() + "`"
			want[key+"::error_after"] = "`" + v.Interface().(operations.MonitoringConfig).ErrorAfter.String() + "`"
		case v.Type() == reflect.TypeFor[AuditConfig]():
			audit := v.Interface().(AuditConfig)
			want[key+"::path"] = "none"
			want[key+"::max_mib"] = "`" + strconv.Itoa(audit.MaxMiB) + "`"
			want[key+"::files"] = "`" + strconv.Itoa(audit.Files) + "`"
		case v.Type() == reflect.TypeFor[AlertsConfig]():
			alerts := v.Interface().(AlertsConfig)
			want[key+"::enabled"] = "`" + strconv.FormatBool(alerts.Enabled) + "`"
			want[key+"::allow_private_targets"] = "`" + strconv.FormatBool(alerts.AllowPrivateTargets) + "`"
		case v.Type() == reflect.TypeFor[operations.OTLP]():
			want[key+"::http"], want[key+"::grpc"] = "none", "none"
		case v.Type() == reflect.TypeFor[connbound.Config]():
			connections := v.Interface().(connbound.Config)
			want[key+"::max"] = "`" + strconv.Itoa(connections.Max) + "`"
			want[key+"::per_address"] = "`" + strconv.Itoa(connections.PerAddress) + "`"
		case v.Type() == reflect.TypeFor[time.Duration]():
			want[key] = "`" + v.Interface().(time.Duration).String() + "`"
		default:
			require.Failf(t, "no rule for the field", "%s", strings.TrimSpace(key))
		}
	}
	require.Equal(t, want, documented)
}
