import { BlockList, isIP } from 'node:net';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import type { PushTarget } from '../images.ts';
import { configuredHints } from './hints.ts';
import { RegistryError } from './image-registry.ts';
import { dockerHub, registryName } from '../references.ts';

const callMs = 60_000;
/** The address of Docker Hub for programs. */
const hubApi = 'registry-1.docker.io';

type Call = {
  method: 'GET' | 'PUT' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
};

/** Calls the API of a registry. Uses plain HTTP only where the engine does. */
export class RegistryClient {
  readonly #engine: EngineClient;
  readonly #to: PushTarget;
  readonly #host: string;
  #authorization: string | undefined;

  constructor(engine: EngineClient, to: PushTarget) {
    [this.#engine, this.#to] = [engine, to];
    this.#host = to.registry.split('/', 1)[0]!;
  }

  /** Like `answer`, for a path below a repository: `manifests/latest`. Fails unless it succeeds. */
  async call(repository: string, call: Call): Promise<Response> {
    const path = `/v2/${repository.slice(this.#host.length + 1)}/${call.path}`;
    const answer = await this.answer({ ...call, path });
    if (answer.ok) return answer;
    throw new RegistryError(
      `the registry ${this.#host} answered ${answer.status} to ${call.method} ${call.path}`,
      configuredHints.away,
    );
  }

  async answer(call: Call): Promise<Response> {
    const host = registryName(this.#host) === dockerHub ? hubApi : this.#host;
    const url = `${(await this.#isPlain()) ? 'http' : 'https'}://${host}${call.path}`;
    let answer = await this.#send(url, call);
    const challenge = answer.headers.get('www-authenticate');
    if (answer.status === 401 && challenge) {
      this.#authorization = await this.#authorize(challenge, call.signal);
      answer = await this.#send(url, call);
    }
    return answer;
  }

  async #send(url: string, { method, headers, body, signal }: Call): Promise<Response> {
    const authorization = this.#authorization;
    try {
      return await fetch(url, {
        method,
        headers: { ...headers, ...(authorization && { authorization }) },
        ...(body !== undefined && { body }),
        signal: within(signal),
      });
    } catch (error) {
      signal?.throwIfAborted();
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      const what = `the registry ${this.#host} cannot be reached: ${reason}`;
      throw new RegistryError(what, configuredHints.away, { cause: error });
    }
  }

  async #authorize(challenge: string, signal: AbortSignal | undefined): Promise<string> {
    const { username, password } = this.#to.login ?? {};
    const basic =
      username === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const refused = () =>
      new RegistryError(`the registry ${this.#host} refuses the credentials`, configuredHints.refused);
    if (!/^bearer /i.test(challenge)) {
      if (!basic || this.#authorization) throw refused();
      return basic;
    }
    const values = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    const url = new URL(values['realm'] ?? '');
    for (const name of ['service', 'scope']) if (values[name]) url.searchParams.set(name, values[name]);
    const answer = await fetch(url, { signal: within(signal), ...(basic && { headers: { authorization: basic } }) });
    const { token, access_token: other } = answer.ok ? ((await answer.json()) as Record<string, string>) : {};
    if (!token && !other) throw refused();
    return `Bearer ${token ?? other}`;
  }

  /** Engines use plain HTTP for loopback addresses and for registries that their settings name. */
  async #isPlain(): Promise<boolean> {
    type Info = {
      RegistryConfig?: { IndexConfigs?: Record<string, { Secure: boolean }>; InsecureRegistryCIDRs?: string[] };
    };
    const { RegistryConfig } = await this.#engine.json<Info>({ method: 'GET', path: '/info' });
    if (RegistryConfig?.IndexConfigs?.[this.#host]) return !RegistryConfig.IndexConfigs[this.#host]!.Secure;
    const name = this.#host.replace(/:\d+$/, '');
    return name === 'localhost' || isWithin(name, RegistryConfig?.InsecureRegistryCIDRs ?? []);
  }
}

const within = (signal: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(callMs), ...(signal ? [signal] : [])]);

function isWithin(address: string, ranges: string[]): boolean {
  if (isIP(address) !== 4) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    if (isIP(network) === 4) list.addSubnet(network, Number(bits), 'ipv4');
  }
  return list.check(address);
}
