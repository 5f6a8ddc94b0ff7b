// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// claimed are the ports that this process gave out, each with the locked file that
// keeps it from other test processes of the machine until this one ends.
var claimed struct {
	sync.Mutex
	files map[int]*os.File
}

// FreeAddress returns a loopback address that nothing listens on, and that no
// testbed is given again while this process runs. Its port is below the range that
// systems give to outgoing connections, so that none of those takes it before the
// collector binds it.
// https://docs.kernel.org/networking/ip-sysctl.html (ip_local_port_range)
func FreeAddress() (string, error) {
	claimed.Lock()
	defer claimed.Unlock()
	err := errors.New("all that were tried are taken")
	for range 100 {
		port := 10_000 + rand.IntN(22_000) //nolint:gosec // any will do
		free, failed := claim(port)
		if free {
			return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), nil
		}
		err = cmp.Or(failed, err)
	}
	return "", fmt.Errorf("find a free port: %w", err)
}

// claim reports whether a port is ours from now on.
func claim(port int) (bool, error) {
	if claimed.files[port] != nil {
		return false, nil
	}
	dir := filepath.Join(os.TempDir(), "touchstone-testbed-ports")
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // of all users who test
		return false, err
	}
	f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o666) //nolint:gosec // as above
	if err != nil {
		return false, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return false, f.Close()
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		_ = f.Close()
		return false, err
	}
	if claimed.files == nil {
		claimed.files = map[int]*os.File{}
	}
	claimed.files[port] = f
	return true, l.Close()
}
