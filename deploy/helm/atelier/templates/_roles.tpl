{{/*
What each role is, as data. secrets: what it cannot start without. optional: what it uses if optionalSecrets has it. settings: groups of
settings for some roles only; a process refuses to start with half of the payment settings. sandbox: runs bubblewrap.
*/}}
{{- define "atelier.roleTable" -}}
api:
  image: atelier
  port: 8080
  sandbox: true
  secrets: [database_url, master_key, s3_access_key, s3_secret_key, redis_url]
  optional: [database_direct_url, stripe_secret_key, stripe_webhook_secret, otel_exporter_otlp_headers]
  settings: [payments, traces]
worker:
  image: atelier-worker
  sandbox: true
  secrets: [database_url, master_key, s3_access_key, s3_secret_key]
  optional: [database_direct_url, smtp_url, safety_moderation_key, otel_exporter_otlp_headers]
  settings: [worker, traces]
cdn:
  image: atelier
  port: 8081
  secrets: [database_url, master_key, s3_access_key, s3_secret_key]
  optional: [edge_secret]
  settings: []
console:
  image: atelier
  port: 8083
  sandbox: true
  secrets: [database_url, master_key, s3_access_key, s3_secret_key, redis_url]
  optional: [stripe_secret_key, stripe_webhook_secret, smtp_url, oidc_client_secret, first_user_password, otel_exporter_otlp_headers]
  settings: [payments, signIn, traces]
desk:
  image: atelier
  port: 8084
  sandbox: true
  secrets: [database_desk_url, master_key, s3_access_key, s3_secret_key, redis_url]
  optional: [otel_exporter_otlp_headers]
  settings: [traces]
{{- end }}

{{/* Settings that only some roles get. All others go to every role. */}}
{{- define "atelier.settingGroups" -}}
payments: [PAYMENTS, PAYMENTS_CONTACT, COIN_PACKAGES, COIN_CURRENCY, LOCK_ON_DISPUTE, STRIPE_API_URL]
traces: [OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, TRACE_SHARE]
signIn: [OIDC_ISSUER, OIDC_CLIENT_ID, FIRST_USER_EMAIL, FIRST_USER_OPERATOR]
worker: [WORKER_CONCURRENCY, WEBHOOK_CONCURRENCY, LOCAL_CONCURRENCY, ENGINE_IDLE_SECONDS]
{{- end }}

{{/* What the chart and the image decide: ports, paths of mounts, and secrets, which are files. */}}
{{- define "atelier.refusedSettings" -}}
fixed: [HOST, PORT, CDN_PORT, CONSOLE_PORT, DESK_HOST, DESK_PORT, METRICS_PORT, CATALOG_DIR, WEIGHTS_DIR, BACKENDS_FILE, SPOOL_DIR]
secret: [DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_OWNER_URL, REDIS_URL, MASTER_KEY, EDGE_SECRET, S3_ACCESS_KEY, S3_SECRET_KEY, SAFETY_MODERATION_KEY, SMTP_URL, OIDC_CLIENT_SECRET, FIRST_USER_PASSWORD, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, OTEL_EXPORTER_OTLP_HEADERS]
{{- end }}

{{/* The roles that run, as a YAML list. */}}
{{- define "atelier.enabledRoles" -}}
{{- $roles := list "api" "worker" "cdn" "console" }}
{{- if .Values.desk.enabled }}{{ $roles = append $roles "desk" }}{{ end }}
{{- toYaml (dict "roles" $roles) }}
{{- end }}
