// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

type process struct {
	cmd    *exec.Cmd
	output lockedBuffer
	ended  chan struct{}
}

// Start runs the binary on config; it does not wait until it is ready.
func (c *Collector) Start(binary, config string, args ...string) error {
	c.ended = make(chan struct{})
	c.cmd = exec.Command(binary, append([]string{"--config", config}, args...)...) //nolint:gosec // the caller's own binary
	c.cmd.Env = append(os.Environ(), c.environ()...)
	c.cmd.Stdout, c.cmd.Stderr = &c.output, &c.output
	if err := c.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", binary, err)
	}
	go func() {
		_ = c.cmd.Wait() // the exit code says it
		close(c.ended)
	}()
	return nil
}

// startPatience is how long a process may take to be ready. A machine that does much else
// besides takes many times as long as an idle one, and one that ends is not waited for.
const startPatience = 5 * time.Minute

// AwaitReady waits until the health check says so, while the process runs.
func (c *Collector) AwaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	return c.Await(ctx, "the collector to be ready", func() (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Env["TOUCHSTONE_HEALTH"], http.NoBody)
		if err != nil {
			return false, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK, nil
	})
}

// Await asks every few milliseconds until it holds. It gives up when ctx ends
// or the process does, and then shows what the process printed.
func (c *Collector) Await(ctx context.Context, what string, holds func() (bool, error)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := holds()
		if err != nil || ok {
			return err
		}
		select {
		case <-tick.C:
		case <-c.ended:
			return errors.New("the collector ended while waiting for " + what + ":\n" + c.Output())
		case <-ctx.Done():
			return errors.New("waited in vain for " + what + ":\n" + c.Output())
		}
	}
}

// Signal sends a signal.
func (c *Collector) Signal(s syscall.Signal) error { return c.cmd.Process.Signal(s) }

// Kill ends the process as a crash would and waits until it is gone. Safe
// when it has ended already.
func (c *Collector) Kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// Stop asks the process to end, waits until it has, and complains if it ended
// badly.
func (c *Collector) Stop() error {
	if err := c.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-c.ended
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the collector ended with code %d:\n%s", code, c.Output())
	}
	return nil
}

// Ended is closed when the process has ended.
func (c *Collector) Ended() <-chan struct{} { return c.ended }

// ExitCode returns the code with which the process ended.
func (c *Collector) ExitCode() int { return c.cmd.ProcessState.ExitCode() }

// Output is what the process printed so far.
func (c *Collector) Output() string { return c.output.String() }

// Pid is the process id.
func (c *Collector) Pid() int { return c.cmd.Process.Pid }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
