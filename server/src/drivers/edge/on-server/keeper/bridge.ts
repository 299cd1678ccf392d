import { StaleFenceError } from '../../../stale-fence.ts';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ControlClient, EdgeNotRunningError } from '../../builtin/control/client.ts';
import { edgeFilesOf, fingerprint } from '../../builtin/protocol.ts';
import {
  type BridgeAnswer,
  type BridgeGreeting,
  notRunning,
  type BridgeOperation,
  type BridgeOperations,
  type BridgeCall,
  silenceMs,
  type StartFailure,
} from '../bridge-protocol.ts';
import { jsonLine, jsonLineParser } from '../json-lines.ts';
import { failureFile, programFolder, sitesFolder } from '../container-paths.ts';
import { StoredPrograms } from './stored-programs.ts';
import { StoredSites } from './stored-sites.ts';

type Handlers = {
  [Each in BridgeOperation]: (...args: BridgeOperations[Each]['args']) => Promise<BridgeOperations[Each]['gives']>;
};

/** Carries concurrent calls from standard input to the edge, and their responses back. Exits with its input. */
export function runBridge(dataDir: string, instanceId: string): void {
  const handlers = handlersOf(dataDir, new ControlClient(edgeFilesOf(dataDir).socket, instanceId));
  const write = (value: BridgeGreeting | BridgeAnswer) => void process.stdout.write(jsonLine(value));
  const silence = setTimeout(() => process.exit(0), silenceMs);
  const answer = async ({ id, operation, args }: BridgeCall): Promise<void> => {
    const handle = handlers[operation] as (...args: unknown[]) => Promise<unknown>;
    try {
      write({ id, value: (await handle(...args)) ?? null });
    } catch (error) {
      write({ id, error: (error as Error).message, code: codeOf(error) });
    }
  };
  const take = jsonLineParser((value) => void answer(value as BridgeCall));
  process.stdin.on('data', (chunk: Buffer) => {
    silence.refresh();
    take(chunk);
  });
  process.stdin.once('end', () => process.exit(0)).once('error', () => process.exit(0));
  process.stdout.once('error', () => process.exit(0));
  write({ keeper: fingerprint(process.argv[1]!) });
}

function handlersOf(dataDir: string, client: ControlClient): Handlers {
  const programs = new StoredPrograms(join(dataDir, programFolder));
  const sites = new StoredSites(join(dataDir, sitesFolder));
  return {
    hello: () => client.hello(),
    call: (method, path, body, withinMs) => client.call(method, path, body ?? undefined, withinMs),
    failure: async () =>
      existsSync(failureFile) ? (JSON.parse(readFileSync(failureFile, 'utf8')) as StartFailure) : null,
    programs: () => programs.list(),
    probe: whyNotListening,
    untilGone: async () => (await client.untilGone(), null),
    hasSite: (name) => sites.has(name),
    adoptSite: async (draft, name) => (await sites.adopt(draft, name), null),
    origins: () => sites.origins(),
    async sweep(used, unusedMs) {
      await sites.sweep(used.sites, unusedMs);
      await programs.keepOnly(used.programs);
      return null;
    },
    ping: async () => null,
  };
}

const whyNotListening = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port }, () => probe.close(() => resolve(null)));
  });

function codeOf(error: unknown): string | null {
  if (error instanceof EdgeNotRunningError) return notRunning;
  if (error instanceof StaleFenceError) return 'stale_fence';
  return (error as { code?: string }).code ?? null;
}
