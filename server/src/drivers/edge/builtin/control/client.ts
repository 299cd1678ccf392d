import { StaleFenceError } from '../../../stale-fence.ts';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeCallError, deadlineHeader, type Hello, instanceHeader } from '../protocol.ts';

export class EdgeNotRunningError extends Error {
  override name = 'EdgeNotRunningError';
}

/** How the edge is called, wherever it is. */
export interface ControlTransport {
  /** Gives null when none is running. */
  hello(): Promise<Hello | null>;
  /** Fails with an EdgeNotRunningError when none is running. */
  call(method: string, path: string, body?: unknown, withinMs?: number): Promise<unknown>;
  /** Resolves when the one that runs now has ended; at once when none runs. */
  untilGone(): Promise<void>;
}

const handOverPatienceMs = 5000;

/** Calls the edge over its socket. Each call is a connection of its own: it reaches whoever has the socket now. */
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
        // Its successor has the socket any moment now.
        if ((error as Partial<EdgeCallError>).code !== 'handed_over' || Date.now() > end) throw error;
        await sleep(20);
      }
    }
  }

  /** Waits on a connection that the edge leaves open for as long as it lives. */
  untilGone(): Promise<void> {
    return new Promise((resolve) => {
      const headers = { [instanceHeader]: this.#instanceId };
      const waiting = request({ socketPath: this.#socketPath, path: '/watch', agent: false, headers });
      // Not there, or gone without a word: that is what we wait for.
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
