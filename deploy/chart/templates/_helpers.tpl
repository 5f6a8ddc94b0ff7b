{{- define "touchstone.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "touchstone.labels" -}}
app.kubernetes.io/name: touchstone
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service | quote }}
{{- with .role }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "touchstone.selector" -}}
app.kubernetes.io/name: touchstone
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "touchstone.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "touchstone.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "touchstone.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* Environment of every role: variables in the open, then the Secret's. */}}
{{- define "touchstone.environment" -}}
{{- $environment := .Values.environment }}
{{- if and (eq .Values.mode "scaled") .Values.migrate.enabled }}
{{- $environment = merge (dict) $environment (dict "TOUCHSTONE_MIGRATE" "check") }}
{{- end }}
{{- with $environment }}
env:
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- with .Values.credentials.secretName }}
envFrom:
- secretRef: {name: {{ . }}}
{{- end }}
{{- end -}}

{{/* A pod of one role: root; role; file, the configuration in the image, and config, the
text of one in its place; resources; api, whether it takes spans and serves the API;
claim, the volume of its data, "" for none that outlasts it. */}}
{{- define "touchstone.pod" -}}
metadata:
  labels:
    {{- include "touchstone.labels" (dict "root" .root "role" .role) | nindent 4 }}
    {{- with .root.Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    touchstone.configuration/sha256: {{ .config | sha256sum }}
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "touchstone.name" .root }}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "touchstone.podSecurity" .root | nindent 4 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
  - name: touchstone
    image: {{ include "touchstone.image" .root }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: [--config={{ if .config }}/etc/touchstone-own/configuration.yaml{{ else }}/etc/touchstone/{{ .file }}{{ end }}]
    securityContext:
      {{- include "touchstone.containerSecurity" .root | nindent 6 }}
    {{- with include "touchstone.environment" .root | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    ports:
    {{- if .api }}
    - {name: otlp-grpc, containerPort: 4317}
    - {name: otlp-http, containerPort: 4318}
    - {name: api, containerPort: 8080}
    {{- end }}
    - {name: metrics, containerPort: 8888}
    - {name: health, containerPort: 13133}
    startupProbe:
      httpGet: {path: /, port: health}
      periodSeconds: 2
      failureThreshold: 60
    readinessProbe:
      httpGet: {path: /, port: health}
      periodSeconds: 5
      timeoutSeconds: 6
      failureThreshold: 2
    {{- if .api }}
    livenessProbe:
      httpGet: {path: /health/live, port: api}
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    {{- else }}
    livenessProbe: # away for ten minutes: databases come and go without a restart
      httpGet: {path: /, port: health}
      periodSeconds: 30
      timeoutSeconds: 6
      failureThreshold: 20
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    volumeMounts:
    - {name: data, mountPath: /data}
    {{- if .config }}
    - {name: configuration, mountPath: /etc/touchstone-own, readOnly: true}
    {{- end }}
  volumes:
  - name: data
    {{- if .claim }}
    persistentVolumeClaim: {claimName: {{ .claim }}}
    {{- else }}
    emptyDir: {}
    {{- end }}
  {{- if .config }}
  - name: configuration
    configMap: {name: {{ include "touchstone.name" .root }}-{{ .role }}}
  {{- end }}
  {{- if and .root.Values.topologySpread (ne .role "all-in-one") }}
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "touchstone.selector" (dict "root" .root "role" .role) | nindent 8 }}
  {{- end }}
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
