import type { ImageRelease, ServiceNetwork, ServiceOptions } from '../../runtime.ts';
import { appOptions } from '../../app-options.ts';
import type { DockerRig } from '../docker-rig.ts';

type Changes = Partial<Omit<ImageRelease, 'owner' | 'service'>> & {
  deploymentId?: string;
  fence?: number;
  options?: Partial<ServiceOptions>;
};

/** Responds to every request with its identity, on port 3000. */
export const answeringProgram = (what: string): string =>
  `require('node:http').createServer((_, response) => response.end('${what}'))
    .listen(3000, () => console.log('listening'));`;

/** Requests a name continuously over new connections, and logs who responded how often. */
export const callingProgram = (name: string) => `
  const { get } = require('node:http');
  const seen = {};
  const count = (what) => { seen[what] = (seen[what] ?? 0) + 1; };
  const call = () => new Promise((done) => {
    get({ host: '${name}', port: 3000, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (data) => { text += data; }).on('end', () => { count(text); done(); });
    }).on('error', (error) => { count('failed: ' + error.code); done(); });
  });
  const on = async () => { for (;;) { await call(); await new Promise((next) => setTimeout(next, 3)); } };
  on(); on();
  setInterval(() => { console.log(JSON.stringify(seen)); for (const key of Object.keys(seen)) delete seen[key]; }, 100);`;

export const idleProgram = 'setInterval(() => {}, 1000);';

/** A network where every service is known by its name. */
export const testNetwork = (services: string[], changes: Partial<ServiceNetwork> = {}): ServiceNetwork => ({
  name: 'default',
  isInternal: false,
  labels: {},
  externalName: null,
  driver: null,
  names: services.map((name) => ({ name, service: name })),
  ...changes,
});

/** A service of the stack `prj_1/production` that runs this JavaScript. */
export function testServiceRelease(
  rig: DockerRig,
  service: string,
  program: string,
  changes: Changes = {},
): ImageRelease {
  const { deploymentId = 'dep_1', fence = 1, options, ...more } = changes;
  const owner = { deploymentId, service, fence };
  const made = rig.release(program, { listensOn: null, ...more, owner, service: { ...plain, ...options } });
  return { ...made, env: more.env ?? {} };
}

const { isApp: _, ...asApp } = appOptions('prj_1/production');
const plain: ServiceOptions = {
  ...asApp,
  isNamedAtOnce: true,
  networks: [testNetwork(['web', 'api', 'db'])],
  restart: { policy: 'unless-stopped', maxAttempts: null },
  hasInit: true,
};
