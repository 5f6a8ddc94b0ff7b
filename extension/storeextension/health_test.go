// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// check is a health check that the collector's own would be.
type check struct {
	component.StartFunc
	component.ShutdownFunc
	ready atomic.Bool
	told  atomic.Int64
}

func (c *check) Ready() error    { c.ready.Store(true); c.told.Add(1); return nil }
func (c *check) NotReady() error { c.ready.Store(false); c.told.Add(1); return nil }

type hostOf map[component.ID]component.Component

func (h hostOf) GetExtensions() map[component.ID]component.Component { return h }

func TestHealthKnowsWhatStandsInTheWay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(dir, 0o700))
	c := &check{}
	h := &health{directory: dir, log: zap.NewNop()}
	h.find(hostOf{component.MustNewID("health_check"): c})
	look := func() []store.Problem { h.look(t.Context()); return h.Problems() }
	writes := func(why string) []store.Problem {
		return []store.Problem{{Name: store.ProblemWrite, Message: "write spans: " + why}}
	}

	require.Empty(t, look())
	require.Zero(t, c.told.Load(), "the service tells that pipelines are ready")

	h.writes.note(fault.New(fault.Unavailable, "the disk of the store is full"))
	require.Equal(t, writes("the disk of the store is full"), look())
	require.False(t, c.ready.Load())
	look()
	require.EqualValues(t, 1, c.told.Load(), "once")
	h.writes.note(fault.New(fault.Invalid, "a span is not well"))
	require.Len(t, look(), 1, "a request that is wrong says nothing")
	h.writes.note(nil)
	require.Empty(t, look())
	require.True(t, c.ready.Load())
	h.writes.note(errors.New("secret path"))
	require.Equal(t, writes("the store fails"), look())
	h.writes.at = h.writes.at.Add(-writeMemory - time.Second)
	require.Empty(t, look(), "an old failure, and no write since")

	h.control.Store(true)
	require.Equal(t, store.ProblemControl, look()[0].Name)
	h.control.Store(false)

	require.Empty(t, look())
	told0, damaged := c.told.Load(), 0
	h.damaged = func() int { return damaged }
	require.Empty(t, look())
	damaged = 2
	require.Equal(t, []store.Problem{{Name: store.ProblemDamage, Message: "2 damaged files of spans were moved away: their spans are missing"}}, look())
	require.Equal(t, told0, c.told.Load(), "spans are taken")
	damaged = 0

	late := store.Problem{Name: store.ProblemStuck, Message: "a span has kept evaluators at work"}
	forget := h.ask(func() []store.Problem { return []store.Problem{late} })
	forgetOther := h.ask(func() []store.Problem { return nil })
	require.Equal(t, []store.Problem{late}, look())
	require.Equal(t, told0, c.told.Load(), "spans are taken")
	forget()
	require.Empty(t, look())
	forgetOther()

	require.NoError(t, os.Rename(dir, dir+".away"))
	require.Equal(t, writes("the directory is gone"), look())
	require.NoError(t, os.Rename(dir+".away", dir))
	require.Empty(t, look())
	h.writes.note(fault.New(fault.Unavailable, "write spans: the disk does not answer"))
	require.Equal(t, writes("the disk does not answer"), look(), "said once")
	h.minFree = 1 << 62
	h.writes.note(fault.New(fault.Unavailable, "write spans: the disk of the store is full"))
	require.Equal(t, writes("the disk of the store is full: less than 4398046511104 MiB of it are free (min_free_mib)"), look(), "which is why a write failed")
	h.writes.note(nil)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "nothing stays behind")

	told := c.told.Load()
	h.end()
	h.minFree = 0
	require.Empty(t, look())
	require.Equal(t, told, c.told.Load(), "the process stops")
}

func TestWhyAFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		nil: "", syscall.ENOSPC: "the disk is full", syscall.EROFS: "the disk is read-only", syscall.EACCES: "the directory must not be written to",
		syscall.EMFILE: "no file descriptors are left", syscall.EIO: "the disk does not answer",
	} {
		if err != nil {
			err = fmt.Errorf("open: %w", &os.PathError{Op: "open", Path: "/secret", Err: err})
		}
		require.Equal(t, want, because(err))
	}
}
