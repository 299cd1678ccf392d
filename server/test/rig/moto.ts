import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const libraries = join(import.meta.dirname, '../../../node_modules/.cache/moto/usr/lib/python3/dist-packages');
const region = 'us-east-1';
// The number of unauthenticated requests: more than needed to create users and buckets.
const preparing = 1000;

type Key = { accessKeyId: string; secretAccessKey: string };

export interface Moto {
  endpoint: string;
  /** Creates a user whose key has just these permissions: `s3:GetObject`. */
  keyFor(name: string, actions: string[]): Promise<Key>;
  makeBucket(name: string): Promise<void>;
  /** From now on every request is checked against the permissions of its key. */
  begin(): Promise<void>;
  stop(): Promise<void>;
}

/** An S3 server with users and permissions. */
export async function startMoto(): Promise<Moto> {
  const folder = newFolder('moto');
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'a');
  const env = { PYTHONPATH: libraries, INITIAL_NO_AUTH_ACTION_COUNT: String(preparing), PATH: process.env['PATH'] };
  const child = spawnRecorded('/usr/bin/python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', log, log],
    env,
  });
  closeSync(log);
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGKILL');
    await exited(child);
  };
  try {
    await until('moto answers', () => fetch(`${endpoint}/moto-api/`).then(({ ok }) => ok), 50_000);
  } catch (error) {
    await stop();
    throw new Error(readFileSync(join(folder, 'log'), 'utf8').slice(-2000), { cause: error });
  }
  /** It selects the service by the signature's scope; signatures are not verified yet. */
  const iam = async (action: string, fields: Record<string, string>): Promise<string> => {
    const scope = `AWS4-HMAC-SHA256 Credential=x/20260101/${region}/iam/aws4_request`;
    const headers = { authorization: `${scope}, SignedHeaders=host, Signature=x` };
    const body = new URLSearchParams({ Action: action, Version: '2010-05-08', ...fields });
    const answer = await fetch(endpoint, { method: 'POST', headers, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${action}: ${answer.status} ${text}`);
    return text;
  };
  return {
    endpoint,
    async keyFor(UserName, actions) {
      const statement = { Effect: 'Allow', Action: actions, Resource: '*' };
      const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
      await iam('CreateUser', { UserName });
      await iam('PutUserPolicy', { UserName, PolicyName: 'rights', PolicyDocument });
      const made = await iam('CreateAccessKey', { UserName });
      const at = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(made)![1]!;
      return { accessKeyId: at('AccessKeyId'), secretAccessKey: at('SecretAccessKey') };
    },
    async makeBucket(name) {
      const { ok, status } = await fetch(`${endpoint}/${name}`, { method: 'PUT' });
      if (!ok) throw new Error(`moto makes no bucket (${status})`);
    },
    async begin() {
      await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: '0' });
      const authorization = `AWS4-HMAC-SHA256 Credential=x/20260101/${region}/s3/aws4_request, SignedHeaders=host, Signature=x`;
      const { status } = await fetch(endpoint, { headers: { authorization } });
      if (status !== 403) throw new Error(`moto still lets everybody in (${status})`);
    },
    stop,
  };
}
