// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/stretchr/testify/require"
)

const packageDirectory = "../package"

// built writes a Debian package of a version and returns its path.
func built(t *testing.T, version, binary string) string {
	t.Helper()
	file, err := os.Open(filepath.Join(packageDirectory, "nfpm.yaml"))
	require.NoError(t, err)
	defer file.Close()
	values := map[string]string{"VERSION": version, "ARCH": runtime.GOARCH, "BINARY": binary}
	config, err := nfpm.ParseWithEnvMapping(file, func(name string) string { return values[name] })
	require.NoError(t, err)
	info, err := config.Get("deb")
	require.NoError(t, err)
	for _, c := range info.Contents { // they are named from the directory of the description
		if c.Source != "" && !filepath.IsAbs(c.Source) {
			c.Source = filepath.Join(packageDirectory, c.Source)
		}
	}
	for _, s := range []*string{&info.Scripts.PostInstall, &info.Scripts.PreRemove, &info.Scripts.PostRemove} {
		*s = filepath.Join(packageDirectory, *s)
	}
	packager, err := nfpm.Get("deb")
	require.NoError(t, err)
	require.NoError(t, nfpm.PrepareForPackager(info, "deb"))
	path := filepath.Join(t.TempDir(), packager.ConventionalFileName(info))
	out, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, packager.Package(info, out))
	require.NoError(t, out.Close())
	return path
}

// machine is a root directory that packages are installed in.
type machine struct {
	t    *testing.T
	root string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, root: t.TempDir()}
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		require.NoError(t, os.MkdirAll(filepath.Join(m.root, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "var/lib/dpkg/status"), nil, 0o600))
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.root, name) }

// dpkg runs the package manager on the root. What the package depends on is not there.
func (m *machine) dpkg(arguments ...string) string {
	m.t.Helper()
	command := exec.CommandContext(m.t.Context(), "dpkg", append([]string{
		"--root=" + m.root, "--force-script-chrootless", "--force-depends", "--force-confold", "--force-not-root", "--log=/dev/null",
	}, arguments...)...)
	out, err := command.CombinedOutput()
	require.NoError(m.t, err, "%s", out)
	return string(out)
}

// runs starts the installed collector as its unit does, and expects that it works.
func (m *machine) runs() {
	m.t.Helper()
	unit, err := os.ReadFile(m.path("lib/systemd/system/touchstone.service"))
	require.NoError(m.t, err)
	line := regexp.MustCompile(`(?m)^ExecStart=(\S+) --config=(\S+)$`).FindSubmatch(unit)
	require.NotNil(m.t, line)
	data := m.path("var/lib/touchstone")
	require.NoError(m.t, os.MkdirAll(data, 0o700))
	ctx, cancel := context.WithCancel(m.t.Context())
	defer cancel()
	c := exec.CommandContext(ctx, m.path(string(line[1])), "--config="+m.path(string(line[2])))
	at := free(m.t, 5)
	api := at[0]
	_, metrics, err := net.SplitHostPort(at[4])
	require.NoError(m.t, err)
	c.Env = []string{
		"TOUCHSTONE_DATA_DIR=" + data, "TOUCHSTONE_API=" + api, "TOUCHSTONE_OTLP_GRPC=" + at[1], "TOUCHSTONE_OTLP_HTTP=" + at[2],
		"TOUCHSTONE_HEALTH=" + at[3], "TOUCHSTONE_METRICS_PORT=" + metrics,
	}
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 30 * time.Second
	require.NoError(m.t, c.Start())
	require.Eventually(m.t, func() bool {
		r, err := http.Get("http://" + api + "/health")
		if err != nil {
			return false
		}
		return r.Body.Close() == nil && r.StatusCode == http.StatusOK
	}, 5*time.Minute, 50*time.Millisecond)
	cancel()
	_ = c.Wait() // how it ends is tested elsewhere
	require.FileExists(m.t, filepath.Join(data, "control.db"))
}

// free returns so many addresses that were free a moment ago, each another one.
// Their ports are below the range that systems give to outgoing connections, so that none
// of those takes one before the collector binds it.
// https://docs.kernel.org/networking/ip-sysctl.html (ip_local_port_range)
func free(t *testing.T, count int) (addresses []string) {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(22_000))
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		defer func() { require.NoError(t, l.Close()) }() // until then no other program gets it
		if addresses = append(addresses, address); len(addresses) == count {
			return addresses
		}
	}
	require.FailNow(t, "the addresses that were tried are taken")
	return nil
}

// collector returns the built collector.
func collector(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/touchstone")
	require.NoError(t, err)
	require.FileExists(t, path, "make build")
	return path
}

func TestThePackageIsInstalledUpgradedAndRemoved(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.dpkg("--install", built(t, "1.0.0", collector(t)))
	for name, mode := range map[string]os.FileMode{
		"usr/bin/touchstone": 0o755, "etc/touchstone/config.yaml": 0o644, "etc/touchstone/environment": 0o600, "lib/systemd/system/touchstone.service": 0o644,
	} {
		st, err := os.Stat(m.path(name))
		require.NoError(t, err)
		require.Equal(t, mode, st.Mode().Perm(), name)
	}
	m.runs()

	edited := []byte("# of the operator\n")
	require.NoError(t, os.WriteFile(m.path("etc/touchstone/environment"), edited, 0o600))
	m.dpkg("--install", built(t, "1.1.0", collector(t)))
	require.Contains(t, m.dpkg("--status", "touchstone"), "Version: 1.1.0")
	kept, err := os.ReadFile(m.path("etc/touchstone/environment"))
	require.NoError(t, err)
	require.Equal(t, edited, kept)
	m.runs()

	m.dpkg("--remove", "touchstone")
	require.NoFileExists(t, m.path("usr/bin/touchstone"))
	require.FileExists(t, m.path("etc/touchstone/environment"))
	require.Contains(t, m.dpkg("--purge", "touchstone"), "what was stored is still in")
	require.NoFileExists(t, m.path("etc/touchstone/environment"))
	require.FileExists(t, m.path("var/lib/touchstone/control.db"))
}

// TestTheServiceIsHardened has systemd judge the unit, where its tools are.
func TestTheServiceIsHardened(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("this machine has no systemd; .ci/run installs it")
	}
	// A threshold of 20 means an exposure of 2.0 of 10 at most.
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=20", "../systemd/touchstone.service").CombinedOutput()
	require.NoError(t, err, "%s", out)
}
