import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** The second file lists the upstream servers of systemd-resolved; container engines read it too. */
const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/** Returns the machine's name servers without loopback ones, which containers do not get. */
export async function nameServersOf(): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(ifMissing)));
  return nameServersIn(texts.join('\n'));
}

export function nameServersIn(text: string): string[] {
  const found = text.split('\n').flatMap((line) => /^\s*nameserver\s+([^\s%]+)/.exec(line)?.[1] ?? []);
  return [...new Set(found)].filter((each) => isIP(each) && !/^127\.|^::1$/.test(each));
}

function ifMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
  throw error;
}
