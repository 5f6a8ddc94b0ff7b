// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// pods returns the pods that a file of values makes, by the name of what makes them.
func pods(t *testing.T, file string) map[string]corev1.PodTemplateSpec {
	t.Helper()
	own, err := chartutil.ReadValuesFile(file)
	require.NoError(t, err)
	files, err := rendered(t, own)
	require.NoError(t, err)
	found := map[string]corev1.PodTemplateSpec{}
	for _, o := range manifests(t, files) {
		if d, ok := o.(*appsv1.Deployment); ok {
			require.Subset(t, d.Spec.Template.Labels, d.Spec.Selector.MatchLabels)
			found[d.Name] = d.Spec.Template
		}
	}
	require.NotEmpty(t, found)
	return found
}

func TestPodsAreRestricted(t *testing.T) {
	t.Parallel()
	for _, file := range values(t) {
		for name, pod := range pods(t, file) {
			s := pod.Spec
			require.False(t, *s.AutomountServiceAccountToken, name)
			require.True(t, *s.SecurityContext.RunAsNonRoot, name)
			require.EqualValues(t, 65532, *s.SecurityContext.RunAsUser, name)
			require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, s.SecurityContext.SeccompProfile.Type, name)
			for _, c := range s.Containers {
				require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem, name)
				require.False(t, *c.SecurityContext.AllowPrivilegeEscalation, name)
				require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop, name)
				require.NotZero(t, c.Resources.Limits.Memory().Value(), name)
			}
		}
	}
}

func TestPodsAreProbed(t *testing.T) {
	t.Parallel()
	for _, file := range values(t) {
		for name, pod := range pods(t, file) {
			c := pod.Spec.Containers[0]
			ports := map[string]bool{}
			for _, p := range c.Ports {
				ports[p.Name] = true
			}
			require.True(t, ports[c.StartupProbe.HTTPGet.Port.StrVal], name)
			require.True(t, ports[c.ReadinessProbe.HTTPGet.Port.StrVal], name)
			if strings.HasSuffix(name, "-backlog-worker") {
				require.Nil(t, c.LivenessProbe, "it serves no API that would tell")
				continue
			}
			require.True(t, ports[c.LivenessProbe.HTTPGet.Port.StrVal], name)
			require.Equal(t, "/health/live", c.LivenessProbe.HTTPGet.Path, name)
		}
	}
}

func TestDisruptionBudgetsAreOfTheirOwnPods(t *testing.T) {
	t.Parallel()
	own, err := chartutil.ReadValuesFile(chartDirectory + "/ci/scaled.yaml")
	require.NoError(t, err)
	files, err := rendered(t, own)
	require.NoError(t, err)
	all := pods(t, chartDirectory+"/ci/scaled.yaml")
	for _, o := range manifests(t, files) {
		if b, ok := o.(*policyv1.PodDisruptionBudget); ok {
			require.Subset(t, all[b.Name].Labels, b.Spec.Selector.MatchLabels)
			require.Equal(t, "spans-"+b.Labels["app.kubernetes.io/component"], b.Name)
		}
	}
}

// TestPodsStartWhatTheImageHas holds that the configurations which the pods name are
// in the repository, from which the image takes them.
func TestPodsStartWhatTheImageHas(t *testing.T) {
	t.Parallel()
	for _, file := range values(t) {
		for _, pod := range pods(t, file) {
			for _, a := range pod.Spec.Containers[0].Args {
				name, found := strings.CutPrefix(a, "--config=/etc/touchstone/")
				if !found {
					continue
				}
				path := "../../config/" + name
				if name == "config.yaml" {
					path = "../../" + name
				}
				_, err := os.Stat(path)
				require.NoError(t, err)
			}
		}
	}
}
