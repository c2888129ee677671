{{- define "atelier.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Names of objects begin with it; room for a suffix such as -console is left. */}}
{{- define "atelier.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "atelier.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "atelier.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "atelier.labels" -}}
app.kubernetes.io/name: {{ include "atelier.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Never change them: a Deployment cannot change its selector. */}}
{{- define "atelier.selector" -}}
app.kubernetes.io/name: {{ include "atelier.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "atelier.image" -}}
{{- $tag := default .root.Chart.AppVersion .root.Values.image.tag -}}
{{- with .root.Values.image.registry }}{{ trimSuffix "/" . }}/{{ end }}{{ .name }}:{{ $tag }}
{{- end }}
