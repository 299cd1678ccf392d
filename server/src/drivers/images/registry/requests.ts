import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import type { RegistryAnswer, RegistryCall } from './image-registry.ts';

const withinMs = 30_000;

/** Sends a request over a connection that is already open. */
export function requestOver(connection: Duplex, host: string, call: RegistryCall): Promise<RegistryAnswer> {
  const headers = { ...call.headers, host, connection: 'close' };
  return answerOf(
    requestHttp({ ...call, headers, createConnection: () => connection, signal: AbortSignal.timeout(withinMs) }),
  );
}

/** Sends a request to a host, in plain HTTP only where the engine allows that too. */
export async function requestTo(engine: EngineClient, host: string, call: RegistryCall): Promise<RegistryAnswer> {
  const isPlain = await isInsecure(engine, host);
  const url = new URL(`${isPlain ? 'http' : 'https'}://${host}${call.path}`);
  const options = { method: call.method, headers: call.headers, signal: AbortSignal.timeout(withinMs) };
  return answerOf(isPlain ? requestHttp(url, options) : requestHttps(url, options));
}

async function answerOf(sent: ClientRequest): Promise<RegistryAnswer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject).end();
  });
  return { status: answer.statusCode!, headers: answer.headers, body: await text(answer) };
}

/** Whether the engine's settings list the host, or a range with its address, as an insecure registry. */
async function isInsecure(engine: EngineClient, host: string): Promise<boolean> {
  type Config = { InsecureRegistryCIDRs: string[] | null; IndexConfigs: Record<string, { Secure: boolean }> | null };
  const { RegistryConfig } = await engine.json<{ RegistryConfig: Config }>({ method: 'GET', path: '/info' });
  if (RegistryConfig.IndexConfigs?.[host]?.Secure === false) return true;
  const name = host.replace(/:\d+$/, '');
  const address = name === 'localhost' ? '127.0.0.1' : name;
  if (isIP(address) !== 4) return false;
  const ranges = new BlockList();
  for (const range of RegistryConfig.InsecureRegistryCIDRs ?? []) {
    const [subnet, bits] = range.split('/') as [string, string];
    if (isIP(subnet) === 4) ranges.addSubnet(subnet, Number(bits));
  }
  return ranges.check(address);
}
