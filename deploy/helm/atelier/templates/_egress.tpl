{{/*
Public addresses: those that the guarded client of the service allows (platform/safe-fetch/address-policy.ts). Private ranges, where clusters have
their pods and services, and the link-local range of cloud metadata are excluded. Of IPv6, only 2000::/3 is public.
*/}}
{{- define "atelier.publicPeers" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 0.0.0.0/8
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 127.0.0.0/8
      - 169.254.0.0/16
      - 172.16.0.0/12
      - 192.0.0.0/24
      - 192.0.2.0/24
      - 192.31.196.0/24
      - 192.52.193.0/24
      - 192.88.99.0/24
      - 192.168.0.0/16
      - 192.175.48.0/24
      - 198.18.0.0/15
      - 198.51.100.0/24
      - 203.0.113.0/24
      - 224.0.0.0/4
      - 240.0.0.0/4
      {{- range .Values.networkPolicy.denyCidrs }}
      {{- if not (contains ":" .) }}
      - {{ . }}
      {{- end }}
      {{- end }}
- ipBlock:
    cidr: 2000::/3
    except:
      - 2001::/23
      - 2001:db8::/32
      - 2002::/16
      - 2620:4f:8000::/48
      - 3ffe::/16
      - 3fff::/20
      {{- range .Values.networkPolicy.denyCidrs }}
      {{- if contains ":" . }}
      - {{ . }}
      {{- end }}
      {{- end }}
{{- end }}

{{- define "atelier.egressDns" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end }}

{{- define "atelier.egressDatabase" -}}
{{- if not .Values.networkPolicy.database.to }}{{ fail "networkPolicy.database.to: say where the database is, or set networkPolicy.enabled to false" }}{{ end -}}
{{- include "atelier.egressServer" (dict "root" . "place" .Values.networkPolicy.database) }}
{{- end }}

{{/* One server on one port: the peers of .place.to, or public addresses. */}}
{{- define "atelier.egressServer" -}}
- to:
    {{- if .place.to }}
    {{- toYaml .place.to | nindent 4 }}
    {{- else }}
    {{- include "atelier.publicPeers" .root | nindent 4 }}
    {{- end }}
  ports:
    - { protocol: TCP, port: {{ int .place.port }} }
{{- end }}

{{/* The internet, on the given ports or on all. */}}
{{- define "atelier.egressPublic" -}}
- to:
    {{- include "atelier.publicPeers" .root | nindent 4 }}
  {{- with .ports }}
  ports:
    {{- range . }}
    - { protocol: TCP, port: {{ int . }} }
    {{- end }}
  {{- end }}
{{- end }}
