import { badRequest } from '../../../errors.ts';

/** A file as parsed JSON or as text. */
export type RepositoryFile = { format: 'json'; data: unknown } | { format: 'text'; data: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns a `.json` file that does not parse as text. */
export function fileContent(path: string, bytes: Buffer): RepositoryFile {
  const data = textOf(path, bytes);
  if (!/\.json$/i.test(path)) return { format: 'text', data };
  try {
    return { format: 'json', data: JSON.parse(data) as unknown };
  } catch {
    return { format: 'text', data };
  }
}

function textOf(path: string, bytes: Buffer): string {
  if (bytes.includes(0)) throw notText(path);
  try {
    return utf8.decode(bytes);
  } catch {
    throw notText(path);
  }
}

const notText = (path: string) => badRequest(`${path} is not a text file`, 'file');
