{{/* The environment of a role: its settings in clear text, and the paths of its secrets. */}}
{{- define "atelier.environment" -}}
{{- $root := .root }}
{{- $row := .row }}
{{- $refused := include "atelier.refusedSettings" $root | fromYaml }}
{{- $groups := include "atelier.settingGroups" $root | fromYaml }}
{{- range $name, $value := $root.Values.settings }}
  {{- if has $name $refused.secret }}{{ fail (printf "settings.%s is a secret: put it into the Secret of existingSecrets, under the key %s" $name (lower $name)) }}{{ end }}
  {{- if has $name $refused.fixed }}{{ fail (printf "settings.%s is set by the chart" $name) }}{{ end }}
  {{- $wanted := true }}
  {{- range $group, $names := $groups }}
    {{- if and (has $name $names) (not (has $group $row.settings)) }}{{ $wanted = false }}{{ end }}
  {{- end }}
  {{- if $wanted }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
  {{- end }}
{{- end }}
{{- range include "atelier.roleSecrets" . | fromYaml | dig "keys" list }}
- name: {{ . | replace "database_desk_url" "database_url" | upper }}_FILE
  value: /run/secrets/atelier/{{ . }}
{{- end }}
{{- if include "atelier.catalogVolume" $root }}
- name: CATALOG_DIR
  value: /catalog
{{- end }}
{{- end }}

{{- define "atelier.roleSecrets" -}}
{{- $keys := .row.secrets }}
{{- range .row.optional }}
  {{- if has . $.root.Values.optionalSecrets }}{{ $keys = append $keys . }}{{ end }}
{{- end }}
{{- toYaml (dict "keys" $keys) }}
{{- end }}

{{/* Files of the Secrets that the role uses, and no others. The group of the pod can read them. */}}
{{- define "atelier.secretVolume" -}}
- name: secrets
  projected:
    # 0440
    defaultMode: 288
    sources:
      - secret:
          name: {{ required "existingSecrets.service: name the Secret of the service" .root.Values.existingSecrets.service }}
          items:
          {{- range include "atelier.roleSecrets" . | fromYaml | dig "keys" list }}
            {{- if ne . "database_desk_url" }}
            - { key: {{ . }}, path: {{ . }} }
            {{- end }}
          {{- end }}
      {{- if eq .role "desk" }}
      - secret:
          name: {{ required "existingSecrets.desk: name the Secret that has database_desk_url" .root.Values.existingSecrets.desk }}
          items:
            - { key: database_desk_url, path: database_desk_url }
      {{- end }}
{{- end }}

{{/* Empty without a volume: then the catalog of the image applies. */}}
{{- define "atelier.catalogVolume" -}}
{{- if and .Values.catalog.existingClaim .Values.catalog.existingConfigMap }}{{ fail "catalog: set existingClaim or existingConfigMap, not both" }}{{ end }}
{{- if .Values.catalog.existingClaim -}}
- name: catalog
  persistentVolumeClaim:
    claimName: {{ .Values.catalog.existingClaim }}
    readOnly: true
{{- else if .Values.catalog.existingConfigMap -}}
- name: catalog
  configMap:
    name: {{ .Values.catalog.existingConfigMap }}
    {{- with .Values.catalog.items }}
    items:
      {{- toYaml . | nindent 6 }}
    {{- end }}
{{- end }}
{{- end }}

{{- define "atelier.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* A container that runs bubblewrap gets the profiles that allow its namespaces and mounts. */}}
{{- define "atelier.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- if .row.sandbox }}
seccompProfile:
  type: Localhost
  localhostProfile: {{ .root.Values.seccomp.localhostProfile }}
{{- with .root.Values.appArmorProfile }}
appArmorProfile:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* A process drains for SHUTDOWN_SECONDS and ends ten seconds later at most. */}}
{{- define "atelier.graceSeconds" -}}
{{- add (default 30 .Values.settings.SHUTDOWN_SECONDS | int) 10 (int .Values.preStopSeconds) 5 }}
{{- end }}

{{- define "atelier.scheduling" -}}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
