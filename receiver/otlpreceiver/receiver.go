// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/touchstone-otel/touchstone/internal/connbound"
)

// otlp is the receiver of all signals of a configuration.
type otlp struct {
	cfg *Config
	set *receiver.Settings

	nextTraces  consumer.Traces // nil where no pipeline has it
	nextLogs    consumer.Logs
	nextMetrics consumer.Metrics

	grpcReports, httpReports *receiverhelper.ObsReport

	forget      func() // makes the factory forget the receiver
	start, stop sync.Once
	failed      error // of start

	grpc    *grpc.Server
	http    *http.Server
	serving sync.WaitGroup
	meters  *meters
}

func newOTLP(cfg *Config, set *receiver.Settings) (*otlp, error) {
	r := &otlp{cfg: cfg, set: set, forget: func() {}}
	for transport, reports := range map[string]**receiverhelper.ObsReport{"grpc": &r.grpcReports, "http": &r.httpReports} {
		var err error
		*reports, err = receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, Transport: transport, ReceiverCreateSettings: *set})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Start begins to listen, once for all signals.
func (r *otlp) Start(ctx context.Context, host component.Host) error {
	r.start.Do(func() {
		if r.failed = r.listen(ctx, host); r.failed != nil {
			r.failed = errors.Join(r.failed, r.shutdown(ctx))
		}
	})
	return r.failed
}

func (r *otlp) listen(ctx context.Context, host component.Host) error {
	var err error
	if r.meters, err = newMeters(r.set); err != nil {
		return err
	}
	if r.cfg.Protocols.GRPC.HasValue() {
		if err := r.listenGRPC(ctx, host); err != nil {
			return err
		}
	}
	if r.cfg.Protocols.HTTP.HasValue() {
		return r.listenHTTP(ctx, host)
	}
	return nil
}

// bound bounds the connections of a listener and tells how many there are.
func (r *otlp) bound(transport string, l net.Listener) (*connbound.Listener, error) {
	bounded := r.cfg.Connections.Listen(l)
	if err := r.meters.observe(transport, bounded); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	r.set.Logger.Info("OTLP is listening", zap.String("transport", transport), zap.Stringer("address", l.Addr()))
	return bounded, nil
}

// serve serves until the server is stopped.
func (r *otlp) serve(host component.Host, what string, serve func() error) {
	r.serving.Go(func() {
		if err := serve(); err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, grpc.ErrServerStopped) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(fmt.Errorf("serve OTLP over %s: %w", what, err)))
		}
	})
}

// Shutdown takes no more requests and waits for those under way.
func (r *otlp) Shutdown(ctx context.Context) error {
	var err error
	r.stop.Do(func() {
		err = r.shutdown(ctx)
		r.forget()
	})
	return err
}

func (r *otlp) shutdown(ctx context.Context) error {
	var err error
	if r.http != nil {
		err = r.http.Shutdown(ctx)
	}
	if r.grpc != nil {
		r.grpc.GracefulStop()
	}
	r.serving.Wait()
	if r.meters != nil {
		err = errors.Join(err, r.meters.end())
	}
	return err
}
