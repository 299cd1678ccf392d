import { connect } from 'node:net';
import { cpuSeconds, type Running, token } from './processes.ts';

export type Load = { perSecond: number; cpuMicroseconds: number };

const connections = 32;

/** Sends requests back to back on keep-alive connections for `seconds`, and measures the server's resource usage. */
export async function load(target: Running, path: string, seconds: number, host?: string): Promise<Load> {
  const [began, cpu] = [performance.now(), cpuSeconds(target)];
  const end = began + seconds * 1000;
  const counts = await Promise.all(Array.from({ length: connections }, () => askUntil(target.url, path, end, host)));
  const count = counts.reduce((sum, each) => sum + each, 0);
  const elapsed = (performance.now() - began) / 1000;
  return { perSecond: count / elapsed, cpuMicroseconds: ((cpuSeconds(target) - cpu) / count) * 1e6 };
}

/** Uses a bare socket, so that the client costs little. All responses of one path have the same length. */
function askUntil(url: string, path: string, end: number, host?: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const request = `GET ${path} HTTP/1.1\r\nhost: ${host ?? hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let [count, length, received] = [0, 0, 0];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      length ||= answerLength(chunk.toString('latin1'));
      received += chunk.length;
      if (received < length) return;
      [count, received] = [count + 1, 0];
      if (performance.now() < end) socket.write(request);
      else socket.end(() => resolve(count));
    });
  });
}

function answerLength(start: string): number {
  if (!start.startsWith('HTTP/1.1 200 ')) throw new Error(`the server answered ${start.split('\r\n')[0]}`);
  return start.indexOf('\r\n\r\n') + 4 + Number(/content-length: (\d+)/i.exec(start)![1]);
}
