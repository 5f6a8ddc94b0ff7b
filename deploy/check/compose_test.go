// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

const composeDirectory = "../compose"

// credentials are the variables of compose files that have no default.
var credentials = []string{"CLICKHOUSE_PASSWORD=one", "POSTGRES_PASSWORD=two", "TOUCHSTONE_ACCESS_TOKEN=three"}

// project loads a compose file, strictly by its schema.
func project(t *testing.T, name string, environment ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(composeDirectory, name)}, cli.WithEnv(environment), cli.WithInterpolation(true))
	require.NoError(t, err)
	return options.LoadProject(t.Context())
}

func TestComposeFilesLoad(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"all-in-one.yaml": {"touchstone"},
		"scaled.yaml":     {"backlog-worker", "clickhouse", "gateway", "postgres"},
	}
	files, err := filepath.Glob(filepath.Join(composeDirectory, "*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, len(want))
	for name, services := range want {
		p, err := project(t, name, credentials...)
		require.NoError(t, err)
		require.Equal(t, services, slices.Sorted(maps.Keys(p.Services)))
		for service, s := range p.Services {
			for _, v := range s.Volumes {
				if v.Type == types.VolumeTypeBind {
					_, err := os.Stat(v.Source)
					require.NoError(t, err, service)
				}
			}
			for _, port := range s.Ports {
				require.Equal(t, "127.0.0.1", port.HostIP, service)
			}
			if strings.Contains(s.Image, "touchstone") {
				require.True(t, s.ReadOnly, service)
				require.Equal(t, []string{"ALL"}, s.CapDrop, service)
			}
		}
	}
}

func TestComposeFilesHaveNoPasswords(t *testing.T) {
	t.Parallel()
	for i := range credentials {
		some := slices.Delete(slices.Clone(credentials), i, i+1)
		name, _, _ := strings.Cut(credentials[i], "=")
		_, err := project(t, "scaled.yaml", some...)
		require.ErrorContains(t, err, name)
	}
}

// TestContainersStartWhatTheImageHas holds that the configurations which containers
// name are in the repository, from which the image takes them.
func TestContainersStartWhatTheImageHas(t *testing.T) {
	t.Parallel()
	p, err := project(t, "scaled.yaml", credentials...)
	require.NoError(t, err)
	for _, service := range []string{"gateway", "backlog-worker"} {
		name, found := strings.CutPrefix(p.Services[service].Command[0], "--config=/etc/touchstone/")
		require.True(t, found)
		_, err := os.Stat(filepath.Join("../../config", name))
		require.NoError(t, err)
	}
}
