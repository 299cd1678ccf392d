import type { ClientRequest, RequestListener } from 'node:http';
import type { RequestOptions } from 'node:https';
import {
  ask,
  type Ask,
  begin,
  type Load,
  openUpgraded,
  portOf,
  project,
  type Reply,
  sendRaw,
  startLoad,
  startTestApp,
  type TestApp,
  tlsPortOf,
} from '../../../../test/rig/edge.ts';
import { selfSigned } from '../../../../test/rig/certificate.ts';
import type { Edge } from '../edge.ts';

export type RunningEdge = { edge: Edge; close(): Promise<void> };

let names = 0;
export const newHostName = (): string => `app-${++names}.localhost`;

/** A running edge, apps behind it, and clients that connect with or without TLS. */
export class EdgeStage {
  readonly secure: boolean;
  readonly #apps: TestApp[] = [];
  #running: RunningEdge | undefined;

  constructor(secure = false) {
    this.secure = secure;
  }

  async open(start: () => Promise<RunningEdge>): Promise<void> {
    this.#running = await start();
    if (!this.secure) return;
    const { cert: chain, key } = selfSigned('*.localhost');
    await this.edge.useCertificate({ host: '*.localhost', chain, key });
  }

  close = async (): Promise<void> => this.#running?.close();

  get edge(): Edge {
    return this.#running!.edge;
  }

  get port(): number {
    return this.secure ? tlsPortOf(this.edge) : portOf(this.edge);
  }

  async app(handle: RequestListener, onPort = 0): Promise<TestApp> {
    const started = await startTestApp(handle, onPort);
    this.#apps.push(started);
    return started;
  }

  /** Starts an app and points a new host at it. */
  async deployed(handle: RequestListener): Promise<{ host: string; app: TestApp }> {
    const host = newHostName();
    const app = await this.app(handle);
    await this.edge.point(project(host, `dep_${host}`, app.target));
    return { host, app };
  }

  async closeApps(): Promise<void> {
    await Promise.all(this.#apps.splice(0).map((each) => each.close()));
  }

  ask(host: string, path?: string, options: Ask = {}): Promise<Reply> {
    return ask(this.port, host, path, { secure: this.secure, ...options });
  }

  request(options: RequestOptions): ClientRequest {
    return begin({ host: '127.0.0.1', port: this.port, agent: false, secure: this.secure, ...options });
  }

  sendRaw(text: string, withinMs?: number, servername = 'x.localhost'): Promise<string> {
    return sendRaw(this.port, text, withinMs, this.secure ? servername : undefined);
  }

  openUpgraded(host: string) {
    return openUpgraded(this.port, host, this.secure ? host : undefined);
  }

  startLoad(host: string, visitors: number, check: (reply: Reply) => string | null): Load {
    return startLoad(this.port, host, visitors, check, this.secure);
  }
}
