// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licenseclassifier/v2/assets"
	"github.com/stretchr/testify/require"
)

// The bill of materials and the licences name all that a program says is linked into it,
// twice in the same bytes.
func TestAllThatIsLinkedIsNamed(t *testing.T) {
	t.Parallel()
	for name, within := range map[string][]string{"touchstone": {"std", "Zstandard", "Mbed TLS"}, "touchstone-slim": {"std"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "../../bin/" + name
			info, err := buildinfo.ReadFile(file)
			require.NoError(t, err, "make build build-slim writes it")
			one, two := t.TempDir(), t.TempDir()
			for _, dir := range []string{one, two} {
				require.NoError(t, run(t.Context(), []string{"-name", name, "-binary", file, "-version", "1.2.3", "-out", dir}, nil))
			}
			read := func(dir, name string) []byte {
				content, err := os.ReadFile(filepath.Join(dir, name))
				require.NoError(t, err)
				return content
			}
			for _, file := range []string{name + billSuffix, licencesFile} {
				require.True(t, bytes.Equal(read(one, file), read(two, file)), file)
			}
			var bill cdx.BOM
			require.NoError(t, cdx.NewBOMDecoder(bytes.NewReader(read(one, name+billSuffix)), cdx.BOMFileFormatJSON).Decode(&bill))
			require.Equal(t, name, bill.Metadata.Component.Name)
			require.Equal(t, "1.2.3", bill.Metadata.Component.Version)
			versions, refs := map[string]string{}, map[string]bool{name: true}
			for _, c := range *bill.Components {
				versions[c.Name] = c.Version
				require.False(t, refs[c.BOMRef], c.BOMRef)
				refs[c.BOMRef] = true
				require.NotEmpty(t, (*c.Licenses)[0].Expression, c.Name)
			}
			for _, d := range *bill.Dependencies {
				require.True(t, refs[d.Ref], d.Ref)
				for _, on := range *d.Dependencies {
					require.True(t, refs[on], on)
				}
			}
			licences := read(one, licencesFile)
			own := 0
			for _, m := range info.Deps {
				if m.Replace != nil && strings.HasPrefix(m.Replace.Path, "./components/slim/without/") {
					require.NotContains(t, versions, m.Path, "what is ours stands in its place")
					own++
					continue
				}
				if m.Replace != nil {
					m = m.Replace
				}
				require.Equal(t, m.Version, versions[m.Path], m.Path)
				require.True(t, bytes.Contains(licences, []byte("\n"+m.Path+" "+m.Version+": ")), m.Path)
			}
			require.Equal(t, name == "touchstone-slim", own > 0)
			for _, part := range within {
				require.Contains(t, versions, part)
			}
			require.Equal(t, name == "touchstone", bytes.Contains(licences, []byte("DuckDB Foundation")))
		})
	}
}

func TestLicencesThatAreNotAllowed(t *testing.T) {
	t.Parallel()
	licence := func(name string) []text {
		content, err := assets.ReadLicenseFile("License/" + name)
		require.NoError(t, err)
		return []text{{"LICENSE", string(content)}}
	}
	mit := licence("MIT/pristine.txt")
	parts := []part{{Name: "free", Texts: mit}, {Name: "both", Texts: append(mit, licence("Zlib/license.txt")...)}}
	require.NoError(t, judge(parts))
	require.Equal(t, []string{"MIT"}, parts[0].Licences)
	require.Equal(t, []string{"MIT", "Zlib"}, parts[1].Licences)
	err := judge([]part{
		{Name: "shared", Version: "v1.0.0", Texts: licence("AGPL-3.0/license.txt")},
		{Name: "silent", Version: "v2.0.0"},
		{Name: "own", Version: "v3.0.0", Texts: []text{{"LICENSE", "Ask us."}}},
	})
	require.EqualError(t, err, "shared v1.0.0: the licence AGPL-3.0 is not allowed\nsilent v2.0.0: no licence was found\nown v3.0.0: no licence was found")
}

func TestNotes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "CHANGELOG.md")
	require.NoError(t, os.WriteFile(file, []byte("# Changelog\n\n## Unreleased\n\n## [0.2.0] - 2026-11-22\n\n### Added\n\n- One.\n\n## 0.1.0\n\n- Zero.\n"), 0o600))
	for _, c := range []struct{ version, want, fails string }{
		{"0.2.0", "### Added\n\n- One.\n", ""},
		{"0.1.0", "- Zero.\n", ""},
		{"0.2", "", file + `: there is no section "## 0.2"`},
		{"Unreleased", "", file + `: the section "## Unreleased" is empty`},
	} {
		var out bytes.Buffer
		err := run(t.Context(), []string{"-version", c.version, "-notes", file}, &out)
		if c.fails != "" {
			require.EqualError(t, err, c.fails)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, out.String())
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args  []string
		fails string
	}{
		{nil, "-version is missing"},
		{[]string{"-version", "1.0.0"}, "-binary or -notes is missing"},
		{[]string{"-version", "1.0.0", "-binary", "go.mod"}, "could not read Go build info from go.mod: unrecognized file format"},
		{[]string{"-version", "1.0.0", "-binary", "absent"}, "could not read Go build info: open absent: no such file or directory"},
		{[]string{"-version", "1.0.0", "-notes", "absent"}, "open absent: no such file or directory"},
	} {
		require.EqualError(t, run(t.Context(), c.args, nil), c.fails)
	}
}
