import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Failure } from './errors.ts';

/** The login that `mooring login` stores. */
export interface Login {
  url: string;
  token: string;
  /** Set if login created the token, so that logout can revoke it. */
  tokenId: string | null;
  email: string;
  organization: { id: string; name: string } | null;
}

export function loginFile(): string {
  const { MOORING_CONFIG: named, XDG_CONFIG_HOME: base } = process.env;
  if (named) return resolve(named);
  return join(base && isAbsolute(base) ? base : join(homedir(), '.config'), 'mooring', 'config.json');
}

export function readLogin(): Login | undefined {
  const file = loginFile();
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (stat.mode & 0o077) chmodSync(file, 0o600);
  const login = parsed(readFileSync(file, 'utf8'));
  if (!login) throw new Failure(`${file} is not a valid login file; remove it, or run: mooring login`);
  return login;
}

function parsed(text: string): Login | undefined {
  try {
    const login = JSON.parse(text) as Partial<Login> | null;
    return typeof login?.url === 'string' && typeof login.token === 'string' ? (login as Login) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes atomically, and the file is never readable by others. */
export function writeLogin(login: Login): void {
  const file = loginFile();
  makeFolder(dirname(file));
  const draft = `${file}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeSync(handle, `${JSON.stringify(login, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

/** Restricts an existing folder only if it is our own, not one that MOORING_CONFIG names. */
function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!process.env.MOORING_CONFIG) chmodSync(folder, 0o700);
}

export const forgetLogin = () => rmSync(loginFile(), { force: true });

const tokenFormat = /^mrg_pat_[A-Za-z0-9_-]+$/;

/** Rejects anything that is not a token before it is sent. */
export function checkedToken(text: string, source: string): string {
  const token = text.trim();
  if (!tokenFormat.test(token)) throw new Failure(`${source} is not an access token; they begin with mrg_pat_`);
  return token;
}
