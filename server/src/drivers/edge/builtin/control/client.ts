import { StaleFenceError } from '../../../stale-fence.ts';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeCallError, deadlineHeader, type Hello, instanceHeader } from '../protocol.ts';

export class EdgeNotRunningError extends Error {
  override name = 'EdgeNotRunningError';
}

/** Transport of control calls to the edge, local or remote. */
export interface ControlTransport {
  /** Resolves to null when no edge is running. */
  hello(): Promise<Hello | null>;
  /** Rejects with an EdgeNotRunningError when no edge is running. */
  call(method: string, path: string, body?: unknown, withinMs?: number): Promise<unknown>;
  /** Resolves when the running edge has exited; immediately when none runs. */
  untilGone(): Promise<void>;
}

const handOverPatienceMs = 5000;

/** Calls the edge over its socket. Each call opens its own connection, so it reaches the current owner of the
 * socket. */
export class ControlClient implements ControlTransport {
  readonly #socketPath: string;
  readonly #instanceId: string;

  constructor(socketPath: string, instanceId: string) {
    this.#socketPath = socketPath;
    this.#instanceId = instanceId;
  }

  async hello(): Promise<Hello | null> {
    try {
      return (await this.#send('GET', '/hello', undefined, 3000)) as Hello;
    } catch (error) {
      if (error instanceof EdgeNotRunningError) return null;
      throw error;
    }
  }

  async call(method: string, path: string, body?: unknown, withinMs = 15_000): Promise<unknown> {
    const end = Date.now() + handOverPatienceMs;
    for (;;) {
      try {
        return await this.#send(method, path, body, withinMs);
      } catch (error) {
        // The successor takes over the socket any moment now.
        if ((error as Partial<EdgeCallError>).code !== 'handed_over' || Date.now() > end) throw error;
        await sleep(20);
      }
    }
  }

  /** Waits on a connection that the edge keeps open until it exits. */
  untilGone(): Promise<void> {
    return new Promise((resolve) => {
      const headers = { [instanceHeader]: this.#instanceId };
      const waiting = request({ socketPath: this.#socketPath, path: '/watch', agent: false, headers });
      // Not running, or killed: both count as gone.
      waiting.on('error', () => resolve()).once('close', () => resolve());
      waiting.once('response', (answer) => answer.on('error', () => resolve()).resume());
      waiting.end();
    });
  }

  #send(method: string, path: string, body: unknown, withinMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = request({
        socketPath: this.#socketPath,
        method,
        path,
        agent: false,
        headers: {
          [instanceHeader]: this.#instanceId,
          [deadlineHeader]: Date.now() + withinMs,
          'content-type': 'application/json',
        },
        signal: AbortSignal.timeout(withinMs),
      });
      call.once('error', (error) => reject(explain(error, withinMs)));
      call.once('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.once('error', (error) => reject(explain(error, withinMs)));
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve(text ? JSON.parse(text) : undefined);
          else reject(errorOf(JSON.parse(text) as EdgeCallError));
        });
      });
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function errorOf({ error, code }: EdgeCallError): Error {
  return code === 'stale_fence' ? new StaleFenceError(error) : Object.assign(new Error(error), { code });
}

const notThere = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

function explain(error: NodeJS.ErrnoException, withinMs: number): Error {
  if (notThere.has(error.code ?? '')) return new EdgeNotRunningError('the edge is not running', { cause: error });
  if (error.name === 'TimeoutError' || error.code === 'ABORT_ERR')
    return new Error(`the edge did not answer within ${withinMs} ms`, { cause: error });
  return error;
}
