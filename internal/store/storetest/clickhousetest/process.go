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
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/npmpack"
)

// The process that serves is told so by the environment, where it finds the
// library and the directory of its data too.
const (
	processEnv = "TOUCHSTONE_TEST_CHDB_LIBRARY"
	dataEnv    = "TOUCHSTONE_TEST_CHDB_DATA"
)

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
}

// start starts a server with a new directory.
func start(ctx context.Context) (*process, error) {
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
	p := &process{dir: dir}
	if err := p.run(files + "/libchdb.so"); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

// run starts the process and waits until it serves.
func (p *process) run(library string) error {
	p.command = exec.CommandContext(context.Background(), os.Args[0]) // it outlives the test that starts it
	p.command.Env = append(os.Environ(), processEnv+"="+library, dataEnv+"="+p.dir)
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
	_ = p.in.Close()
	_ = p.command.Wait()
	_ = os.RemoveAll(p.dir)
}
