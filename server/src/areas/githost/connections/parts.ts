import type { Config } from '../../../config.ts';
import type { Db } from '../../../db/database.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Installations } from '../installations/service.ts';
import type { LentApps } from '../lent/service.ts';
import type { CloneTokens } from '../repositories/clone-tokens.ts';
import type { Repositories } from '../repositories/service.ts';
import type { GitHostSources } from '../sources.ts';
import { appSlug } from './app-slug.ts';
import { Callback } from './callback.ts';
import { Connect } from './connect.ts';
import type { CallbackOrigin } from './connect-facts.ts';
import { ConnectForLinked } from './connect-for-linked.ts';
import { DeviceSignIns } from './device.ts';
import { Disconnect } from './disconnect.ts';
import { SignInFinish } from './sign-in-finish.ts';
import { Overviews } from './overviews.ts';
import { ConnectConsent } from './consent.ts';
import { SignIns } from './sign-ins.ts';
import { ConnectionStatus } from './status.ts';

export type GitHostConfig = Pick<Config, 'mode' | 'publicUrl' | 'githostAppSlug' | 'githostTimeout'>;

type Options = {
  db: Db;
  config: GitHostConfig;
  sealer: Sealer;
  gitHost: GitHub;
  warn: (message: string) => void;
  callMs: number;
  lent: LentApps;
  installations: Installations;
  sources: GitHostSources;
  cloneTokens: CloneTokens;
  repositories: Repositories;
};

/** Short, because a page waits for it. */
const statusMs = 8000;

export function createConnections(options: Options) {
  const { config, gitHost } = options;
  const { mode } = config;
  const slug = appSlug({ gitHost, configured: config.githostAppSlug, callMs: options.callMs });
  const status = new ConnectionStatus({ ...options, callMs: Math.min(options.callMs, statusMs) });
  const signIns = new SignIns({ ...options, slug });
  const finish = new SignInFinish(options);
  const question = new ConnectConsent({ ...options, signIns, finish });
  const connect = new Connect({
    ...options,
    mode,
    hasApp: gitHost.app !== undefined,
    signIns,
    finish,
    status,
  });
  return {
    connect,
    callback: new Callback({ ...options, mode, signIns, finish, question }),
    device: new DeviceSignIns({ ...options, finish }),
    disconnect: new Disconnect(options),
    overviews: new Overviews({ ...options, slug, status }),
    hereOf: (origin: string) => hereOf(config, origin),
    forLinked: new ConnectForLinked({ gitHost, signIns, slug, redirectUri: hereOf(config, '').redirectUri }),
  };
}

/** Self-hosted instances trust the client's origin; in cloud mode the public URL is configured. */
function hereOf({ publicUrl, mode }: GitHostConfig, origin: string): CallbackOrigin {
  const base = publicUrl ?? (mode === 'self-hosted' && URL.canParse(origin) ? origin : undefined);
  return { origin: base ?? '', redirectUri: base && `${base}/api/githost/connect/redirect` };
}
