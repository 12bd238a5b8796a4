"""Uses the Python client, dynamic as with any group: client.py NAME."""

import json
import sys

import kubernetes
from kubernetes import client, config, dynamic

name = sys.argv[1]
group = "flowcontrol.apiserver.k8s.io/v1"


def level():
    return {
        "apiVersion": group,
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": name},
        "spec": {
            "type": "Limited",
            "limited": {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}},
        },
    }


def schema(precedence):
    return {
        "apiVersion": group,
        "kind": "FlowSchema",
        "metadata": {"name": name, "labels": {"client": name}},
        "spec": {"matchingPrecedence": precedence, "priorityLevelConfiguration": {"name": name}},
    }


config.load_kube_config()
api = dynamic.DynamicClient(client.ApiClient())
levels = api.resources.get(api_version=group, kind="PriorityLevelConfiguration")
schemas = api.resources.get(api_version=group, kind="FlowSchema")

levels.create(body=level())
before = schemas.get().metadata.resourceVersion
schemas.create(body=schema(500))
schemas.patch(
    name=name,
    body={"spec": {"matchingPrecedence": 600}},
    content_type="application/merge-patch+json",
)
schemas.server_side_apply(body=json.dumps(schema(700)), name=name, field_manager="python", force_conflicts=True)
schemas.delete(name=name)
for event in schemas.watch(label_selector="client=" + name, resource_version=before, timeout=60):
    if event["type"] == "DELETED":
        assert event["object"].spec.matchingPrecedence == 700
        break
else:
    sys.exit("the watch ended before the deletion")
levels.delete(name=name)
print(kubernetes.__version__)
