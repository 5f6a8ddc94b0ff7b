// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/npmpack"
)

// The process that serves learns its part from the environment, where it finds the
// library and the directory of its data too.
const (
	processEnv = "TOUCHSTONE_TEST_CHDB_LIBRARY"
	dataEnv    = "TOUCHSTONE_TEST_CHDB_DATA"
	addressEnv = "TOUCHSTONE_TEST_CHDB_ADDRESS" // to serve at; "" is any
	diskEnv    = "TOUCHSTONE_TEST_CHDB_DISK"    // bytes of a disk of its own; "" is none
	grantsEnv  = "TOUCHSTONE_TEST_CHDB_GRANTS"  // what its user may, a GRANT in each line; "" is everything
)

// memoryKept has the engine's allocator keep memory for a minute before it gives it back to
// the kernel, and not for the five seconds of its default: commits and merges take as much
// again all the time. Servers get the setting by MALLOC_CONF, the library by its name for it.
// https://jemalloc.net/jemalloc.3.html#opt.dirty_decay_ms
const memoryKept = "JE_MALLOC_CONF=dirty_decay_ms:60000"

// said is what the process writes before its address.
const said = "serves on "

// libraries are the packages with the library, by what they run on.
var libraries = map[string]npmpack.Package{
	"linux/amd64": {
		Name: "@chdb/lib-linux-x64-gnu", Version: "26.7.3-stable.1",
		SHA256: "c0d32b129e988f2b9a9a31c9141aecf5e1e2453f9a079efc4d36ab8e3f92b2ad",
	},
}

// process is a server in a process of its own.
type process struct {
	address string
	command *exec.Cmd
	in      io.Closer // the process ends with it, so also when this one is killed
	dir     string
	library string

	diskSize int64    // 0 is that of the directory
	grants   []string // none is everything
}

// start starts a server with a new directory.
func start(ctx context.Context) (*process, error) {
	p, err := prepare(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.run(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.dir))
	}
	return p, nil
}

// prepare returns a server with a new directory that is not started yet.
func prepare(ctx context.Context) (*process, error) {
	machine := runtime.GOOS + "/" + runtime.GOARCH
	library, known := libraries[machine]
	if !known {
		return nil, fmt.Errorf("there is no ClickHouse for tests on %s: name a server in %s", machine, serverEnv)
	}
	files, err := library.Dir(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "clickhouse-*")
	if err != nil {
		return nil, err
	}
	return &process{dir: dir, library: files + "/libchdb.so"}, nil
}

// run starts the process, at the address that it had before if it ran, and waits until it
// serves.
func (p *process) run() error {
	p.command = exec.CommandContext(context.Background(), os.Args[0]) // it outlives the test that starts it
	p.command.Env = append(os.Environ(), memoryKept, processEnv+"="+p.library, dataEnv+"="+p.dir, addressEnv+"="+p.address)
	if len(p.grants) > 0 {
		p.command.Env = append(p.command.Env, grantsEnv+"="+strings.Join(append(p.grants, "GRANT CREATE DATABASE, DROP DATABASE ON "+OnDatabases, "GRANT SHOW DATABASES ON default.*"), "\n"))
	}
	if p.diskSize > 0 {
		p.command.Env = append(p.command.Env, diskEnv+"="+strconv.FormatInt(p.diskSize, 10))
		apart(p.command)
	}
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.command.Start(); err != nil {
		return err
	}
	p.in = in
	line, err := bufio.NewReader(out).ReadString('\n')
	address, found := strings.CutPrefix(strings.TrimSpace(line), said)
	if !found {
		return errors.Join(fmt.Errorf("the process of ClickHouse said %q", line), err, p.command.Process.Kill(), p.command.Wait())
	}
	p.address = address
	return nil
}

// stop ends the process and removes its files.
func (p *process) stop() {
	if p.in != nil { // it was started
		_ = p.in.Close()
		_ = p.command.Wait()
	}
	_ = os.RemoveAll(p.dir)
}
