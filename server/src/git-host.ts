import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';
import { outboundReachOf } from './config.ts';
import { createGitHub, type GitHub } from './drivers/githost/github/github.ts';
import { StartError } from './errors.ts';

/** HOME and PATH of the machine's owner, whose `gh` sign-in can be used. */
type Machine = { home: string; path: string };

/** Creates the git host with all configured kinds of connection. */
export function gitHostOf(config: Config, { home, path }: Machine): GitHub {
  const { githostUrl, githostApiUrl, githostClientId, githostClientSecret, githostCli, mode } = config;
  const app = appOf(config);
  try {
    return createGitHub({
      webUrl: githostUrl,
      ...(githostApiUrl && { apiUrl: githostApiUrl }),
      // The operator chose the host; this guards against addresses that the host redirects to.
      reach: outboundReachOf(config),
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
