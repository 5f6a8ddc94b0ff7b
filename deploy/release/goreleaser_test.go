// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
	"github.com/stretchr/testify/require"
)

// GoReleaser reads the description of releases, and what it names is there.
func TestDescriptionOfReleases(t *testing.T) {
	t.Parallel()
	project, err := config.Load("../../.goreleaser.yaml")
	require.NoError(t, err)
	require.Len(t, project.Builds, 2)
	shared, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	require.Contains(t, string(shared), "export CGO_ENABLED := 1\n")
	targets, err := os.ReadFile("../../tools/targets.mk")
	require.NoError(t, err)
	for i, target := range []string{"build-static", "build-slim"} {
		build := project.Builds[i]
		require.Equal(t, []string{"linux"}, build.Goos)
		require.Equal(t, []string{"amd64", "arm64"}, build.Goarch)
		require.Contains(t, string(shared), "TAGS := "+strings.Join(build.Tags, ",")+"\n")
		require.Equal(t, "-trimpath", build.Flags[0])
		made := strings.Join(append([]string{"$(GO) build"}, build.Flags[1:]...), " ")
		if build.Env[0] != "CGO_ENABLED=1" {
			made = build.Env[0] + " " + made
		}
		out := map[string]string{"build-static": "STATIC", "build-slim": "SLIM"}[target]
		made = "	" + made + " -ldflags '" + strings.Join(build.Ldflags, " ") + "' -o $(" + out + ") " + build.Main
		require.Contains(t, string(targets), made, "it is built as make %s builds it", target)
		require.Equal(t, []string{build.ID}, project.Archives[i].IDs, "it has an archive of its own")
	}

	require.Contains(t, project.Before.Hooks[0], " build/slim.mod", "which no build makes itself")

	require.Len(t, project.Archives, 2)
	for _, a := range project.Archives {
		for _, f := range a.Files {
			requireThere(t, f.Source)
		}
	}
	require.Equal(t, []string{"touchstone"}, project.NFPMs[0].IDs)
	require.Len(t, project.NFPMs, 1)
	destinations := map[string]string{}
	for _, c := range project.NFPMs[0].Contents {
		requireThere(t, c.Source)
		destinations[c.Destination] = c.Source + " " + c.Type
	}
	for _, script := range []string{project.NFPMs[0].Scripts.PostInstall, project.NFPMs[0].Scripts.PreRemove, project.NFPMs[0].Scripts.PostRemove} {
		requireThere(t, script)
	}
	// The package that is tested has the same files.
	own, err := os.ReadFile("../package/nfpm.yaml")
	require.NoError(t, err)
	named := 0
	for line := range strings.Lines(string(own)) {
		if _, after, is := strings.Cut(line, " dst: "); is && !strings.Contains(line, "${BINARY}") {
			dst, _, _ := strings.Cut(after, ",")
			require.Contains(t, destinations, dst)
			named++
		}
	}
	require.Len(t, destinations, named+1, "and the licences of what is linked")
}

// requireThere expects a file of the repository, unless it is written for the release.
func requireThere(t *testing.T, source string) {
	t.Helper()
	if strings.HasPrefix(source, "build/release/") {
		return
	}
	found, err := filepath.Glob(filepath.Join("../..", source))
	require.NoError(t, err)
	require.NotEmpty(t, found, source)
}
