import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const modules = join(import.meta.dirname, '../github-openapi/node_modules');

type Description = { paths: Record<string, object> };

export interface Prism {
  url: string;
  /** The requests as the description names them: `GET /user`; with their violations. */
  asked: { call: string; status: number; violations: string[] }[];
  stop(): Promise<void>;
}

/** Validates every request against GitHub's own API description. Loads only these paths: all of them would take a
 * minute. */
export async function startPrism(paths: string[]): Promise<Prism> {
  const folder = newFolder('prism');
  const whole = JSON.parse(
    readFileSync(join(modules, '@octokit/openapi/generated/api.github.com.json'), 'utf8'),
  ) as Description;
  const cut = Object.fromEntries(paths.map((path) => [path, whole.paths[path] ?? missing(path)]));
  writeFileSync(
    join(folder, 'openapi.json'),
    JSON.stringify({ ...whole, paths: cut, webhooks: undefined, 'x-webhooks': undefined }),
  );
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'a');
  const program = join(modules, '@stoplight/prism-cli/dist/index.js');
  const child = spawnRecorded(
    process.execPath,
    [program, 'mock', '--port', String(port), join(folder, 'openapi.json')],
    {
      stdio: ['ignore', log, log],
      env: { PATH: '/usr/bin:/bin', HOME: folder, SCARF_ANALYTICS: 'false' },
    },
  );
  closeSync(log);
  await until('Prism answers', async () => (await fetch(`http://127.0.0.1:${port}/user`)).status > 0, 60_000);
  const asked: Prism['asked'] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url, headers } = request;
      const body = await buffer(request);
      const { host: _, connection: __, ...rest } = headers as Record<string, string>;
      // GitHub requires its own media type, which its description lacks.
      const sent = { ...rest, accept: 'application/json' };
      const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
        method: method!,
        headers: sent,
        ...(body.length && { body: new Uint8Array(body) }),
      });
      asked.push({
        call: `${method} ${url!.split('?')[0]}`,
        status: answer.status,
        violations: violationsIn(answer.headers.get('sl-violations')),
      });
      // Its example of the link header names pages that do not exist.
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      child.kill();
      await exited(child);
    },
  };
}

/** Only those of the request: GitHub's example responses do not always match its description. */
function violationsIn(header: string | null): string[] {
  const all = JSON.parse(header ?? '[]') as { location: string[]; message: string }[];
  return all.filter(({ location }) => location[0] === 'request').map(({ message }) => message);
}

function missing(path: string): never {
  throw new Error(`GitHub's description has no ${path}`);
}
