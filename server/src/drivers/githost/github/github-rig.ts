import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../../../test/rig/children.ts';
import { appId, installations, oauthApp } from '../../../../test/rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../../../../test/rig/githost.ts';
import type { OwnInstallation } from './app-source.ts';
import { createGitHub, type GitHubSettings } from './github.ts';
import type { OAuthTokens } from './oauth-answers.ts';
import type { TokenVault } from './oauth-source.ts';

export const redirectUri = 'http://127.0.0.1/back';

/** Octo's installations: the organization, and one repository of their own. */
export const ownInstallations: OwnInstallation[] = installations.filter(({ account }) => account !== 'rivals');

/** In-memory vault that counts its writes. */
export function memoryVault(tokens?: OAuthTokens): TokenVault & { tokens: OAuthTokens | undefined; writes: number } {
  return {
    tokens,
    writes: 0,
    async read() {
      return this.tokens;
    },
    async write(next) {
      this.tokens = next;
      this.writes++;
    },
  };
}

/** Creates a fake `gh` that records its arguments and environment in the file `calls`. */
export function standInGh(token: string): { file: string; folder: string } {
  const folder = newFolder('gh');
  const file = join(folder, 'gh');
  const lines = [
    '#!/bin/sh',
    `{ echo "$@"; env; } >> '${folder}/calls'`,
    `case "$1 $2 $3 $4" in`,
    `  --version*) echo 'gh version 2.23.0 (2023-02-27)' ;;`,
    `  'auth token --hostname 127.0.0.1') echo '${token}' ;;`,
    `  'auth status --hostname 127.0.0.1') exit 0 ;;`,
    `  *) echo 'no such thing' >&2; exit 1 ;;`,
    'esac',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
  return { file, folder };
}

/** Starts a git host and a GitHub driver with the app and OAuth configured. */
export async function gitHubRig(change: Partial<GitHubSettings> = {}) {
  const host: GitHostRig = await startGitHost({ redirectUris: [redirectUri] });
  const gitHub = createGitHub({
    webUrl: host.webUrl,
    reach: 'private',
    app: { id: String(appId), privateKey: host.appKey },
    oauth: oauthApp,
    ...change,
  });
  return {
    host,
    gitHub,
    /** Connects an account through the web flow. */
    connect: async (login = 'octo'): Promise<OAuthTokens> => {
      const begun = gitHub.oauth!.begin(redirectUri);
      const back = await host.gaps.signIns.agree(begun.url, login);
      return gitHub.oauth!.exchange({
        code: back.searchParams.get('code')!,
        codeVerifier: begun.codeVerifier,
        redirectUri,
      });
    },
    close: async () => {
      await gitHub.close();
      await host.stop();
    },
  };
}
