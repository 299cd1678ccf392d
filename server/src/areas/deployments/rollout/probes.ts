import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OpenPort } from '../../../drivers/host/open-port.ts';

const stayOpenMs = 150;
const answerMs = 5000;

/** True, or the reason why it does not work. */
type Outcome = true | string;
type Probe = (open: OpenPort, at: Parameters<OpenPort>[0], signal: AbortSignal) => Promise<Outcome>;

/** Checks that something listens and keeps a connection open for a moment. */
export const tcpAnswers: Probe = async (open, at, signal) => {
  const stream = await open(at, signal).catch((error: Error) => error);
  if (stream instanceof Error) return stream.message;
  return new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      clearTimeout(stays);
      resolve(outcome);
      stream.destroy();
    };
    // Some proxies accept connections for an app that does not listen yet, and then hang up.
    const stays = setTimeout(() => end(true), stayOpenMs);
    // The stream must be read to notice the end of the connection.
    stream.on('error', (error) => end(error.message)).resume();
    for (const over of ['end', 'close']) stream.once(over, () => end('the connection was closed at once'));
  });
};

export interface HttpCheck {
  path: string | null;
  /** Sent as the Host header; null: the address of the port. */
  hostName: string | null;
}

/** A configured path must respond with a status below 400; without one, any status below 500 is fine. */
export const httpAnswers =
  ({ path, hostName }: HttpCheck, onStatus: (status: number) => void = () => {}): Probe =>
  async (open, at, signal) => {
    const stream = await open(at, signal).catch((error: Error) => error);
    if (stream instanceof Error) return stream.message;
    return statusOf(
      stream,
      { ...at, path: path ?? '/', hostName },
      AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    ).then(
      (status) => {
        onStatus(status);
        return status < (path ? 400 : 500) ? true : `${path ?? '/'} answered ${status}`;
      },
      (error: Error) => (error.name === 'AbortError' ? 'no answer' : error.message),
    );
  };

/** Whether the app responded with a bad status. */
export const isBadStatus = (outcome: string): boolean => / answered \d{3}$/.test(outcome);

type Asked = { host: string; port: number; path: string; hostName: string | null };

const statusOf = (stream: Duplex, { host, port, path, hostName }: Asked, signal: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      // An SSH channel closes only once it was read to its end, and a request that never starts reads nothing.
      stream.on('error', reject).resume().destroy();
      reject(signal.reason as Error);
      return;
    }
    const headers = { 'user-agent': 'mooring-check', ...(hostName !== null && { host: hostName }) };
    const sent = request({ host, port, path, method: 'GET', signal, headers, createConnection: () => stream });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('close', () => stream.destroy()).once('error', reject);
    sent.end();
  });
