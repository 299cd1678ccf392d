import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';
import { reachOf } from './config.ts';
import { createGitHub, type GitHub } from './drivers/githost/github/github.ts';
import { StartError } from './errors.ts';

/** The machine's owner, whose sign-in with the host's program can be used. */
type Machine = { home: string; path: string };

/** The git host with all the ways to it that are set up. */
export function gitHostOf(config: Config, { home, path }: Machine): GitHub {
  const { githostUrl, githostApiUrl, githostClientId, githostClientSecret, githostCli, mode } = config;
  const app = appOf(config);
  try {
    return createGitHub({
      webUrl: githostUrl,
      ...(githostApiUrl && { apiUrl: githostApiUrl }),
      // Whoever set up the instance chose the host; what is guarded against is where the host sends us.
      reach: reachOf(config),
      ...(app && { app }),
      ...(githostClientId && {
        oauth: { clientId: githostClientId, ...(githostClientSecret && { clientSecret: githostClientSecret }) },
      }),
      ...(mode === 'self-hosted' && { cli: { file: githostCli, home, path } }),
    });
  } catch (error) {
    throw new StartError(`the git host cannot be used: ${(error as Error).message}`);
  }
}

function appOf(config: Config): { id: string; privateKey: string } | undefined {
  const { githostAppId: id, githostAppPrivateKey: text, githostAppPrivateKeyFile: file } = config;
  if (!id) return undefined;
  const key = text || (file && readKey(file));
  if (!key) throw new StartError('GITHOST_APP_ID: GITHOST_APP_PRIVATE_KEY or GITHOST_APP_PRIVATE_KEY_FILE is missing');
  return { id, privateKey: key };
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`GITHOST_APP_PRIVATE_KEY_FILE: ${(error as Error).message}`);
  }
}
