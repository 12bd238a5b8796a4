// Uses the JavaScript client: its API of the group, of any object, and its watch.
// client.mjs NAME
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as k8s from '@kubernetes/client-node';

const name = process.argv[2];
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const level = {
  apiVersion,
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
};
const schema = (matchingPrecedence) => ({
  apiVersion,
  kind: 'FlowSchema',
  metadata: { name, labels: { client: name } },
  spec: {
    matchingPrecedence,
    priorityLevelConfiguration: { name },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name } }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
      },
    ],
  },
});

const config = new k8s.KubeConfig();
config.loadFromDefault();
const group = config.makeApiClient(k8s.FlowcontrolApiserverV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);

async function step(what, run) {
  await run();
  console.log(`works: ${what}`);
}

let before;
await step('list', async () => {
  before = (await group.listFlowSchema()).metadata.resourceVersion;
});
await step('create', async () => {
  await group.createPriorityLevelConfiguration({ body: level });
  await group.createFlowSchema({ body: schema(500) });
});
await step('read', async () => {
  assert.equal((await group.readFlowSchema({ name })).spec.matchingPrecedence, 500);
});
await step('patch', async () => {
  await group.patchFlowSchema(
    { name, body: { spec: { matchingPrecedence: 600 } } },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch),
  );
});
await step('server-side apply', async () => {
  const applied = await objects.patch(
    schema(700), undefined, undefined, 'javascript', true, k8s.PatchStrategy.ServerSideApply,
  );
  assert.equal(applied.spec.matchingPrecedence, 700);
});
await step('delete', async () => {
  await objects.delete(schema(700));
  await group.deletePriorityLevelConfiguration({ name });
});
await step('watch', async () => {
  const path = `/apis/${apiVersion}/flowschemas`;
  const query = { labelSelector: `client=${name}`, resourceVersion: before };
  const seen = await new Promise((resolve, reject) => {
    const values = [];
    let request;
    const see = (type, object) => {
      values.push(`${type} ${object.spec.matchingPrecedence}`);
      if (type === 'DELETED') {
        resolve(values);
        request.abort();
      }
    };
    const end = (error) => reject(error ?? new Error('the watch ended before the deletion'));
    new k8s.Watch(config).watch(path, query, see, end).then((started) => (request = started), reject);
  });
  assert.equal(seen.at(-1), 'DELETED 700');
});
const manifest = new URL('node_modules/@kubernetes/client-node/package.json', import.meta.url);
console.log(`version: ${JSON.parse(readFileSync(manifest)).version}`);
