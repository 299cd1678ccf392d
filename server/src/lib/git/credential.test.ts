import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { scriptedHost } from '../../../test/rig/githost-script.ts';
import { credentialEnvironment } from './credential.ts';
import { gitEnvironment } from './git.ts';

const credential = { username: 'x-access-token', password: 'a secret / with : signs' };
const run = promisify(execFile);

function list(url: string, of = url) {
  const env = {
    PATH: process.env['PATH']!,
    ...gitEnvironment(),
    ...credentialEnvironment({ url: of, ...credential }),
  };
  return run('git', ['ls-remote', '--', url], { env }).catch((error: Error) => error);
}

describe('git credential', () => {
  const proof = `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`;

  it('is sent to its own host at once, and appears in no argument', async () => {
    const { url, asked } = await scriptedHost((_, response) => void response.writeHead(404).end());
    const error = await list(`${url}/a/b.git`);
    expect(asked[0]!.headers.authorization).toBe(proof);
    expect((error as Error).message).not.toContain('secret');
  });

  it('is sent neither to another host nor to a redirect target', async () => {
    const other = await scriptedHost((_, response) => void response.writeHead(404).end());
    await list(`${other.url}/a/b.git`, 'http://127.0.0.1:9/a/b.git');
    expect(other.asked.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    const before = other.asked.length;
    const { url, asked } = await scriptedHost((request, response) => {
      response.writeHead(301, { location: `${other.url}${request.url}` }).end();
    });
    await list(`${url}/a/b.git`);
    expect(asked).toHaveLength(1);
    expect(other.asked.length).toBe(before);
  });
});
