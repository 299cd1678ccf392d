import { ended, folderOf } from './deploy.ts';
import { dockerApp } from './docker-app.ts';
import { node } from './docker-images.ts';
import { type SteadyVisitor, startSteadyVisitor } from './steady-visitor.ts';
import { type CloudDeployment, type TwoInstances } from './two-instances.ts';

/** Projects in the cloud with an active release each, and clients that must never notice a failure. */
export interface CloudThings {
  two: TwoInstances;
  /** An app in a container, deployed twice; a site; one that needs approval; two services. */
  app: string;
  site: string;
  asked: string;
  stack: string;
  appUrl: string;
  visitors: SteadyVisitor[];
  /** Ids of all projects to verify in the end. */
  projects: Set<string>;
  /** Returns a unique name. */
  name(word: string): string;
  /** The active release, and the newest other one to roll back to. */
  serving(projectId: string): Promise<CloudDeployment>;
  before(projectId: string): Promise<CloudDeployment>;
}

export const site = (text: string): string => folderOf({ 'index.html': text });

/** Two services; the second one can be made to crash. */
export const twoServices = (version: string, isBroken = false): string => {
  // It drops its open responses on SIGTERM, so it must not be stopped while it has one.
  const web = `require('node:http').createServer((_, response) => response.end('${version}')).listen(3000);
process.on('SIGTERM', () => process.exit(0));`;
  const side = `${isBroken ? 'process.exit(3)' : 'setInterval(() => {}, 1000)'}; process.on('SIGTERM', () => process.exit(0));`;
  const dockerfile = `FROM ${node.name}\nCOPY program.js /\nCMD ["node", "/program.js"]\n`;
  return folderOf({
    'compose.yaml': JSON.stringify({ services: { web: { build: 'web', ports: ['3000'] }, side: { build: 'side' } } }),
    'web/program.js': web,
    'web/Dockerfile': dockerfile,
    'side/program.js': side,
    'side/Dockerfile': dockerfile,
  });
};

export async function makeCloudThings(two: TwoInstances): Promise<CloudThings> {
  let names = 0;
  const deployed = async (name: string, folder: string, fields: object = {}) => {
    const id = await two.project(name, folder, fields);
    const { id: first } = await two.promote(id, { autoStart: true });
    const ready = await ended(two.cloud.now, first, 60_000);
    if (ready.status !== 'ready') throw new Error(`${name}: ${JSON.stringify(ready.error)}`);
    return { id, url: ready.urls[0]! };
  };
  const app = await deployed('app', dockerApp('v1'));
  two.git.push('app', dockerApp('v2'), 'v2');
  await ended(two.cloud.now, (await two.promote(app.id, { autoStart: true })).id, 60_000);
  const page = await deployed('site', site('v1'));
  const asked = await two.project('asked', site('v1'), { requireApproval: true });
  const stack = await deployed('stack', twoServices('v1'));
  await two.promote(asked);
  const ready = async (projectId: string) =>
    (await two.there(projectId)).filter(({ status }) => status === 'ready' || status === 'rejected');
  return {
    two,
    app: app.id,
    site: page.id,
    asked,
    stack: stack.id,
    appUrl: app.url,
    visitors: [app, page, stack].map(({ url }) => startSteadyVisitor(url)),
    projects: new Set([app.id, page.id, asked, stack.id]),
    name: (word) => `${word}-${++names}`,
    serving: async (projectId) => (await ready(projectId)).find(({ active }) => active)!,
    before: async (projectId) => (await ready(projectId)).find(({ active }) => !active)!,
  };
}
