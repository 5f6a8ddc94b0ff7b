// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"
	"golang.org/x/mod/modfile"
)

// The manifest's versions are only text: go.mod decides what is linked.
func TestManifestSaysWhatIsLinked(t *testing.T) {
	t.Parallel()
	manifest, err := os.ReadFile("../builder-config.yaml")
	require.NoError(t, err)
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	parsed, err := modfile.Parse("go.mod", mod, nil)
	require.NoError(t, err)
	linked := map[string]string{}
	for _, r := range parsed.Require {
		linked[r.Mod.Path] = r.Mod.Version
	}
	named := regexp.MustCompile(`gomod: (\S+) (v[^\s,}]+)`).FindAllStringSubmatch(string(manifest), -1)
	require.Greater(t, len(named), 20)
	for _, m := range named {
		if m[1] != "github.com/touchstone-otel/touchstone" {
			require.Equal(t, linked[m[1]], m[2], m[1])
		}
	}
	generated, err := os.ReadFile("components.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`import: (\S+)}`).FindAllStringSubmatch(string(manifest), -1) {
		require.Contains(t, string(generated), `"`+m[1]+`"`)
	}
}

// The slim build has nothing that the whole one has not, in the same version, and
// neither a store nor a model server's client nor one that runs models.
func TestSlimManifestIsPartOfTheWhole(t *testing.T) {
	t.Parallel()
	parts := func(file string) []string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return regexp.MustCompile(`(?m)^  - .*gomod.*$`).FindAllString(string(text), -1)
	}
	slim := parts("../builder-slim.yaml")
	require.Greater(t, len(slim), 20)
	require.Subset(t, parts("../builder-config.yaml"), slim)
	generated, err := os.ReadFile("slim/components.go")
	require.NoError(t, err)
	for _, part := range slim {
		if m := regexp.MustCompile(`import: (\S+)}`).FindStringSubmatch(part); m != nil {
			require.Contains(t, string(generated), `"`+m[1]+`"`)
		}
	}
	linked, err := exec.Command("go", "list", "-deps", "./slim").Output()
	require.NoError(t, err)
	for _, part := range []string{"/duckdb", "/clickhouse", "/sqldb", "modernc.org/sqlite", "jackc/pgx", "hugot", "gomlx", "go-chi"} {
		require.NotContains(t, string(linked), part)
	}
}

func TestShippedConfigIsValid(t *testing.T) {
	t.Parallel()
	factories, err := components()
	require.NoError(t, err)
	_, err = otelcoltest.LoadConfigAndValidate("../config.yaml", factories)
	require.NoError(t, err)
}

// docs/settings.md lists the variables that config.yaml reads, with the same
// defaults, and no others.
func TestSettingsListEveryVariable(t *testing.T) {
	t.Parallel()
	config, err := os.ReadFile("../config.yaml")
	require.NoError(t, err)
	page, err := os.ReadFile("../docs/settings.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## config.yaml\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	variables := regexp.MustCompile(`\$\{env:(\w+):-([^}]*)\}`).FindAllStringSubmatch(string(config), -1)
	require.NotEmpty(t, variables)
	named := map[string]bool{}
	for _, v := range variables {
		named[v[1]] = true
		row := regexp.MustCompile("(?m)^\\| `" + v[1] + "` \\|.*$").FindString(section)
		require.NotEmpty(t, row, v[1])
		if v[2] != "" {
			require.Contains(t, row, "`"+v[2]+"`", v[1])
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(TOUCHSTONE_\\w+)` \\|").FindAllStringSubmatch(section, -1) {
		require.True(t, named[m[1]], "%s is not in config.yaml", m[1])
	}
	require.NotContains(t, string(config), "0.0.0.0", "config.yaml binds loopback")
}
