{{/*
The objects are those of the kustomizations in artifacts/, in files/, which
`make chart` makes. Here the values are put into them.
*/}}

{{/* objects: the objects of a file, in the release's namespace. */}}
{{- define "objects" -}}
{{- range $text := .root.Files.Get (printf "files/%s.yaml" .file) | replace "flowcontrol-system" $.root.Release.Namespace | splitList "\n---\n" }}
{{- $object := fromYaml $text }}
{{- if $object.Error }}{{ fail $object.Error }}{{ end }}
{{- include "change" (dict "object" $object "values" $.root.Values) }}
{{- $left := list "Namespace" }}{{/* helm's own */}}
{{- if not $.root.Values.flowSchemas }}{{ $left = concat $left (list "FlowSchema" "PriorityLevelConfiguration") }}{{ end }}
{{- if not (has $object.kind $left) }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}

{{/* change: puts the values into an object. */}}
{{- define "change" -}}
{{- if eq .object.kind "Deployment" }}{{ include "changeServer" (dict "spec" .object.spec "values" .values) }}{{ end }}
{{- if eq .object.kind "StatefulSet" }}{{ include "changeEtcd" (dict "spec" .object.spec "values" .values.etcd) }}{{ end }}
{{- if eq .object.kind "CronJob" }}{{ include "changeSnapshots" (dict "object" .object "values" .values) }}{{ end }}
{{- if eq .object.kind "PersistentVolumeClaim" }}{{ include "changeClaim" (dict "spec" .object.spec "storage" .values.etcd.snapshots.storage "class" .values.etcd.storageClass) }}{{ end }}
{{- end }}

{{- define "changeServer" -}}
{{- $_ := set .spec "replicas" .values.replicas }}
{{- $container := first .spec.template.spec.containers }}
{{- $_ := set $container "image" .values.image }}
{{- $_ := set $container "resources" .values.resources }}
{{- range $container.env }}{{ if eq .name "GOMEMLIMIT" }}{{ $_ := set . "value" $.values.goMemLimit }}{{ end }}{{ end }}
{{- if and (eq .values.etcd.mode "external") (not .values.etcd.servers) }}
{{- fail "etcd.servers: name the members of the etcd, as https://HOST:2379, or choose another etcd.mode" }}
{{- end }}
{{- $args := list }}
{{- range $container.args }}
{{- if and (eq $.values.etcd.mode "external") (hasPrefix "--etcd-servers=" .) }}
{{- $args = append $args (printf "--etcd-servers=%s" (join "," $.values.etcd.servers)) }}
{{- else }}{{ $args = append $args . }}{{ end }}
{{- end }}
{{- $_ := set $container "args" (concat $args .values.args) }}
{{- end }}

{{- define "changeEtcd" -}}
{{- $_ := set (first .spec.template.spec.containers) "image" .values.image }}
{{- include "changeClaim" (dict "spec" (first .spec.volumeClaimTemplates).spec "storage" .values.storage "class" .values.storageClass) }}
{{- end }}

{{- define "changeClaim" -}}
{{- $_ := set .spec.resources.requests "storage" .storage }}
{{- if .class }}{{ $_ := set .spec "storageClassName" .class }}{{ end }}
{{- end }}

{{- define "changeSnapshots" -}}
{{- $_ := set .object.spec "schedule" .values.etcd.snapshots.schedule }}
{{- $container := first .object.spec.jobTemplate.spec.template.spec.containers }}
{{- $_ := set $container "image" .values.image }}
{{- $args := list }}
{{- range $container.args }}
{{- if hasPrefix "--etcd-snapshot-retain=" . }}{{ $args = append $args (printf "--etcd-snapshot-retain=%d" (int $.values.etcd.snapshots.retain)) }}
{{- else }}{{ $args = append $args . }}{{ end }}
{{- end }}
{{- $_ := set $container "args" $args }}
{{- end }}
