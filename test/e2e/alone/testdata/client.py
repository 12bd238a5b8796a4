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
        "spec": {
            "matchingPrecedence": precedence,
            "priorityLevelConfiguration": {"name": name},
            "rules": [
                {
                    "subjects": [{"kind": "User", "user": {"name": name}}],
                    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/version"]}],
                }
            ],
        },
    }


def apply(body):
    return schemas.server_side_apply(body=body, name=name, field_manager="python", force_conflicts=True)


config.load_kube_config()
api = dynamic.DynamicClient(client.ApiClient())
levels = api.resources.get(api_version=group, kind="PriorityLevelConfiguration")
schemas = api.resources.get(api_version=group, kind="FlowSchema")
print("works: discovery")

before = schemas.get().metadata.resourceVersion
print("works: list")

levels.create(body=level())
schemas.create(body=schema(500))
print("works: create")

assert schemas.get(name=name).spec.matchingPrecedence == 500
print("works: get")

schemas.patch(
    name=name,
    body={"spec": {"matchingPrecedence": 600}},
    content_type="application/merge-patch+json",
)
print("works: merge patch")

try:
    apply(schema(700))
    sys.exit("server_side_apply takes a dict now")
except client.ApiException as error:
    assert error.status == 0, error  # it asked no server
apply(json.dumps(schema(700)))
print("needs: `server_side_apply`: the body as JSON text")

schemas.delete(name=name)
levels.delete(name=name)
print("works: delete")

for event in schemas.watch(label_selector="client=" + name, resource_version=before, timeout=60):
    if event["type"] == "DELETED":
        assert event["object"].spec.matchingPrecedence == 700
        break
else:
    sys.exit("the watch ended before the deletion")
print("works: watch")
print("version: " + kubernetes.__version__)
