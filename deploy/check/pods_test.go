// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// objects returns what a file of values makes.
func objects(t *testing.T, file string) []runtime.Object {
	t.Helper()
	own, err := chartutil.ReadValuesFile(file)
	require.NoError(t, err)
	files, err := rendered(t, own)
	require.NoError(t, err)
	return manifests(t, files)
}

// job returns the job that a file of values makes, nil if it makes none.
func job(t *testing.T, file string) *batchv1.Job {
	t.Helper()
	for _, o := range objects(t, file) {
		if j, ok := o.(*batchv1.Job); ok {
			return j
		}
	}
	return nil
}

// pods returns the pods that a file of values makes and that last, by the name of what
// makes them.
func pods(t *testing.T, file string) map[string]corev1.PodTemplateSpec {
	t.Helper()
	found := map[string]corev1.PodTemplateSpec{}
	for _, o := range objects(t, file) {
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
		all := pods(t, file)
		if j := job(t, file); j != nil {
			all[j.Name] = j.Spec.Template
		}
		for name, pod := range all {
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
			require.True(t, ports[c.LivenessProbe.HTTPGet.Port.StrVal], name)
			if strings.HasSuffix(name, "-backlog-worker") { // it serves no API that would tell whose fault it is
				require.Equal(t, "health", c.LivenessProbe.HTTPGet.Port.StrVal)
				require.GreaterOrEqual(t, c.LivenessProbe.PeriodSeconds*c.LivenessProbe.FailureThreshold, int32(600), "databases come and go")
				continue
			}
			require.Equal(t, "/health/live", c.LivenessProbe.HTTPGet.Path, name)
		}
	}
}

func TestDisruptionBudgetsAreOfTheirOwnPods(t *testing.T) {
	t.Parallel()
	all := pods(t, chartDirectory+"/ci/scaled.yaml")
	for _, o := range objects(t, chartDirectory+"/ci/scaled.yaml") {
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

// A job brings the databases to the schema before pods start, which check that; where
// there is none, they do it themselves.
func TestDatabasesAreMigratedBeforePodsStart(t *testing.T) {
	t.Parallel()
	check := corev1.EnvVar{Name: "TOUCHSTONE_MIGRATE", Value: "check"}
	for _, file := range values(t) {
		j := job(t, file)
		for name, pod := range pods(t, file) {
			if j == nil {
				require.NotContains(t, pod.Spec.Containers[0].Env, check, name)
				continue
			}
			require.Contains(t, pod.Spec.Containers[0].Env, check, name)
		}
		if j != nil {
			require.Equal(t, "pre-install,pre-upgrade", j.Annotations["helm.sh/hook"])
			c := j.Spec.Template.Spec.Containers[0]
			require.Equal(t, []string{"migrate", "--config=/etc/touchstone/gateway.yaml"}, c.Args)
			require.Equal(t, "touchstone", c.EnvFrom[0].SecretRef.Name)
		}
	}
	require.NotNil(t, job(t, chartDirectory+"/ci/scaled.yaml"))
	require.Nil(t, job(t, chartDirectory+"/ci/scaled-unmigrated.yaml"))
	require.Nil(t, job(t, chartDirectory+"/ci/all-in-one.yaml"))
}
