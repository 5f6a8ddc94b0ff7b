// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/durable"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// kept is what is on disk.
type kept struct {
	// For tells gateway and key apart from others, so that no one judges by the
	// setups of another environment. It is no secret.
	For string `json:"for"`
	// ConfirmedAt is when the gateway last said that these are the setups.
	ConfirmedAt time.Time       `json:"confirmed_at"`
	Tag         string          `json:"tag"`
	Bundle      json.RawMessage `json:"bundle"`
}

// whose returns what For is to be.
func (e *setups) whose() string {
	digest := sha256.Sum256([]byte(e.cfg.HTTP.Endpoint + "\x00" + string(e.cfg.APIKey)))
	return hex.EncodeToString(digest[:])
}

// restore works with what is on disk until the gateway answers. What cannot be read is
// as if it were not there.
func (e *setups) restore() {
	k, b, err := e.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.log.Info("no setups are on disk: spans are left to the gateway until it has answered", zap.String("file", e.cfg.File))
		return
	case err != nil:
		e.log.Warn("the setups on disk are not used: spans are left to the gateway until it has answered", zap.String("file", e.cfg.File), zap.Error(err))
		return
	}
	e.asked.Store(confirmed(k.ConfirmedAt, e.now()))
	e.take(b, k.Tag)
	e.log.Info("setups were read from disk", zap.Int("setups", len(b.Setups)), zap.Time("confirmed_at", k.ConfirmedAt))
}

// confirmed returns a time of a file in Unix nanoseconds: 0, which is never, where it is
// before 1970, and now where it is later than that.
func confirmed(at, now time.Time) int64 {
	switch {
	case at.Before(time.Unix(0, 0)):
		return 0
	case at.After(now):
		return now.UnixNano()
	}
	return at.UnixNano()
}

func (e *setups) read() (k kept, b monitor.Bundle, err error) {
	f, err := os.Open(e.cfg.File)
	if err != nil {
		return k, b, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, 2*monitor.MaxBundle))
	if err != nil {
		return k, b, err
	}
	if json.Unmarshal(text, &k) != nil {
		return k, b, errors.New("the file is damaged")
	}
	if k.For != e.whose() {
		return k, b, errors.New("they are of another gateway or key")
	}
	b, err = monitor.UnpackBundle(k.Bundle)
	return k, b, err
}

// keep writes what is worked with to disk. Without it the sidecar goes on; it would
// only begin without setups.
func (e *setups) keep() {
	if err := e.write(); err != nil {
		e.log.Warn("setups could not be kept on disk", zap.String("file", e.cfg.File), zap.Error(err))
	}
}

// write replaces the file as a whole.
func (e *setups) write() error {
	h := e.current.Load()
	bundle, err := json.Marshal(&h.bundle)
	if err != nil {
		return err
	}
	text, err := json.Marshal(kept{e.whose(), time.Unix(0, e.asked.Load()).UTC(), h.tag, bundle})
	if err != nil {
		return err
	}
	dir := filepath.Dir(e.cfg.File)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(e.cfg.File+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), e.cfg.File)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write: %w", err), os.Remove(f.Name()))
	}
	return durable.Directory(dir)
}
