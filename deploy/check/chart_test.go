// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

const chartDirectory = "../chart"

// values are the files of values that the chart must render with.
func values(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(chartDirectory, "ci", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// rendered renders the chart as an installation would.
func rendered(t *testing.T, own map[string]any) (map[string]string, error) {
	t.Helper()
	c, err := loader.Load(chartDirectory)
	require.NoError(t, err)
	release := chartutil.ReleaseOptions{Name: "spans", Namespace: "telemetry", Revision: 1, IsInstall: true}
	v, err := chartutil.ToRenderValues(c, own, release, chartutil.DefaultCapabilities)
	require.NoError(t, err)
	return engine.Render(c, v)
}

// manifests decodes what was rendered strictly into the types of Kubernetes: a field
// that there is not, or twice, is an error.
func manifests(t *testing.T, files map[string]string) (list []runtime.Object) {
	t.Helper()
	codecs := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict)
	for name, text := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		for _, one := range strings.Split(text, "\n---\n") {
			var any map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(one), &any), "%s:\n%s", name, one)
			if len(any) == 0 {
				continue
			}
			object, _, err := codecs.UniversalDeserializer().Decode([]byte(one), nil, nil)
			require.NoError(t, err, "%s:\n%s", name, one)
			list = append(list, object)
		}
	}
	return list
}

func TestTheChartIsLinted(t *testing.T) {
	t.Parallel()
	for _, file := range values(t) {
		own, err := chartutil.ReadValuesFile(file)
		require.NoError(t, err)
		found := lint.AllWithKubeVersion(chartDirectory, own, "telemetry", nil)
		for _, m := range found.Messages {
			// Charts of vendors have a picture; the chart is part of the repository.
			if m.Severity >= support.WarningSev {
				t.Errorf("%s: %s", file, m.Error())
			}
		}
	}
}

func TestEveryFileOfValuesRenders(t *testing.T) {
	t.Parallel()
	kinds := map[string][]string{
		"all-in-one.yaml":            {"Deployment", "NetworkPolicy", "PersistentVolumeClaim", "Service", "ServiceAccount"},
		"all-in-one-configured.yaml": {"ConfigMap", "Deployment", "NetworkPolicy", "PersistentVolumeClaim", "Service", "ServiceAccount"},
		"scaled.yaml": {
			"Deployment", "Deployment", "HorizontalPodAutoscaler", "Job", "NetworkPolicy", "PodDisruptionBudget", "PodDisruptionBudget", "Service", "ServiceAccount",
		},
		"scaled-unmigrated.yaml": {
			"Deployment", "Deployment", "HorizontalPodAutoscaler", "NetworkPolicy", "PodDisruptionBudget", "PodDisruptionBudget", "Service", "ServiceAccount",
		},
		"scaled-configured.yaml": {
			"ConfigMap", "ConfigMap", "Deployment", "Deployment", "HorizontalPodAutoscaler", "Job", "NetworkPolicy", "PodDisruptionBudget", "PodDisruptionBudget", "Service",
			"ServiceAccount",
		},
	}
	for _, file := range values(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			own, err := chartutil.ReadValuesFile(file)
			require.NoError(t, err)
			files, err := rendered(t, own)
			require.NoError(t, err)
			var got []string
			for _, o := range manifests(t, files) {
				got = append(got, o.GetObjectKind().GroupVersionKind().Kind)
			}
			require.ElementsMatch(t, kinds[filepath.Base(file)], got)
		})
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	t.Parallel()
	for want, own := range map[string]map[string]any{
		"mode must be all-in-one or scaled":                   {"mode": "gateway"},
		"credentials.secretName is required in mode scaled":   {"mode": "scaled"},
		"environment.TOUCHSTONE_ACCESS_TOKEN is a credential": {"environment": map[string]any{"TOUCHSTONE_ACCESS_TOKEN": "x"}},
		"environment.TOUCHSTONE_POSTGRES is a credential":     {"environment": map[string]any{"TOUCHSTONE_POSTGRES": "postgres://u:p@h/d"}},
	} {
		_, err := rendered(t, own)
		require.ErrorContains(t, err, want)
	}
	for _, name := range []string{
		"TOUCHSTONE_JUDGE_API_KEY", "TOUCHSTONE_SIDECAR_KEY", "TOUCHSTONE_WORKER_TOKEN", "CLIENT_SECRET", "CLICKHOUSE_PASSWORD",
		"OTEL_HEADERS_AUTHORIZATION", "AWS_CREDENTIALS", "CREDENTIAL", "TOUCHSTONE_CLICKHOUSE", "CONTROL_DSN",
	} {
		_, err := rendered(t, map[string]any{"environment": map[string]any{name: "x"}})
		require.ErrorContains(t, err, "environment."+name+" is a credential")
	}
	_, err := rendered(t, map[string]any{"environment": map[string]any{"TOUCHSTONE_JUDGE_URL": "http://judge.example/v1", "TOKENS_PER_MINUTE": "1"}})
	require.NoError(t, err)
}
