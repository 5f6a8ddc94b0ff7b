// SPDX-License-Identifier: Apache-2.0

package otlpbound

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// measured is the most of everything that a decoded request has.
type measured struct{ depth, attributes, values, events, links, records, groups, key, name int }

// over reports whether any of it is more than the small limits allow.
func (m measured) over() bool {
	l := small
	return m.depth > l.Depth || m.attributes > l.Attributes || m.values > l.Values || m.events > l.Events || m.links > l.Links ||
		m.records > l.Records || m.groups > l.Records || m.key > l.KeyBytes || m.name > l.NameBytes
}

func measure(s Signal, r request) (m measured) {
	switch s {
	case Traces:
		m.traces(r.(ptraceotlp.ExportRequest))
	case Logs:
		m.logs(r.(plogotlp.ExportRequest))
	case Metrics:
		m.metrics(r.(pmetricotlp.ExportRequest))
	}
	return m
}

func (m *measured) traces(r ptraceotlp.ExportRequest) {
	for _, rs := range r.Traces().ResourceSpans().All() {
		m.groups++
		m.all(rs.Resource().Attributes(), 1)
		for _, ss := range rs.ScopeSpans().All() {
			m.groups++
			m.all(ss.Scope().Attributes(), 1)
			for _, s := range ss.Spans().All() {
				m.records++
				m.name = max(m.name, len(s.Name()))
				m.all(s.Attributes(), 1)
				m.events, m.links = max(m.events, s.Events().Len()), max(m.links, s.Links().Len())
				for _, e := range s.Events().All() {
					m.all(e.Attributes(), 1)
				}
				for _, l := range s.Links().All() {
					m.all(l.Attributes(), 1)
				}
			}
		}
	}
}

func (m *measured) logs(r plogotlp.ExportRequest) {
	for _, rl := range r.Logs().ResourceLogs().All() {
		m.groups++
		m.all(rl.Resource().Attributes(), 1)
		for _, sl := range rl.ScopeLogs().All() {
			m.groups++
			m.all(sl.Scope().Attributes(), 1)
			for _, record := range sl.LogRecords().All() {
				m.records++
				m.all(record.Attributes(), 1)
				m.value(record.Body(), 1)
			}
		}
	}
}

func (m *measured) metrics(r pmetricotlp.ExportRequest) {
	for _, rm := range r.Metrics().ResourceMetrics().All() {
		m.groups++
		m.all(rm.Resource().Attributes(), 1)
		for _, sm := range rm.ScopeMetrics().All() {
			m.groups++
			m.all(sm.Scope().Attributes(), 1)
			for _, one := range sm.Metrics().All() {
				m.groups++
				m.all(one.Metadata(), 1)
				if one.Type() == pmetric.MetricTypeGauge {
					for _, p := range one.Gauge().DataPoints().All() {
						m.records++
						m.all(p.Attributes(), 1)
						for _, e := range p.Exemplars().All() {
							m.all(e.FilteredAttributes(), 1)
						}
					}
				}
			}
		}
	}
}

// all measures the attributes of one owner, whose values are at this depth.
func (m *measured) all(attributes pcommon.Map, depth int) {
	m.attributes = max(m.attributes, attributes.Len())
	for key, v := range attributes.All() {
		m.key = max(m.key, len(key))
		m.value(v, depth)
	}
}

func (m *measured) value(v pcommon.Value, depth int) {
	m.depth = max(m.depth, depth)
	switch v.Type() {
	case pcommon.ValueTypeSlice:
		m.values = max(m.values, v.Slice().Len())
		for _, one := range v.Slice().All() {
			m.value(one, depth+1)
		}
	case pcommon.ValueTypeMap:
		m.all(v.Map(), depth+1)
	}
}
