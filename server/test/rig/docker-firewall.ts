import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../src/drivers/runtime/records/locks.ts';
import { lockFile } from '../../src/lib/lock-file.ts';
import { processes, programOf } from './processes.ts';

// All engines of a machine share the chains that the first one makes, and no engine removes them when it ends. What
// was there before the first engine of the tests is kept in a file; the last one to go puts it back.

type Kept = { forward: string; ipForward: string };

const keptFile = join(tmpdir(), 'mooring-rig-firewall.json');
const lockPath = join(tmpdir(), 'mooring-rig-firewall.lock');
const startWithinMs = 60_000;
const ipForwardFile = '/proc/sys/net/ipv4/ip_forward';
const families = ['iptables', 'ip6tables'];
const tables = ['filter', 'nat', 'raw'];

/** Starts an engine, with what it will change kept; nobody puts that back meanwhile. */
export const startingEngine = (start: () => Promise<void>): Promise<void> =>
  withLock(lockPath, startWithinMs, async () => {
    keepFirewall();
    await start();
  });

function keepFirewall(): void {
  if (existsSync(keptFile) || engineRuns() || rules('iptables', 'filter').some((rule) => rule.startsWith('-N DOCKER')))
    return;
  const forward = rules('iptables', 'filter')
    .find((rule) => rule.startsWith('-P FORWARD'))!
    .split(' ')[2]!;
  writeFileSync(
    keptFile,
    JSON.stringify({ forward, ipForward: readFileSync(ipForwardFile, 'utf8').trim() } satisfies Kept),
  );
}

/** Removes the rules that name one of these links or addresses. */
export function removeRules(isOurs: (word: string) => boolean): void {
  eachTable((family, table) => {
    for (const rule of rules(family, table).filter((each) => each.startsWith('-A') && each.split(' ').some(isOurs)))
      change(family, table, rule.replace(/^-A/, '-D'));
  });
}

/** Puts everything back, unless an engine is there who needs it, or about to be. */
export function restoreFirewall(): void {
  class StartingError extends Error {}
  try {
    const lock = lockFile(lockPath, () => new StartingError());
    try {
      if (existsSync(keptFile) && !engineRuns()) restore();
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!(error instanceof StartingError)) throw error;
  }
}

function restore(): void {
  const { forward, ipForward } = JSON.parse(readFileSync(keptFile, 'utf8')) as Kept;
  eachTable((family, table) => {
    const all = rules(family, table);
    const chains = all.flatMap((rule) => /^-N (DOCKER\S*)/.exec(rule)?.[1] ?? []);
    for (const rule of all)
      if (/^-A .*-j DOCKER/.test(rule) && !rule.startsWith('-A DOCKER'))
        change(family, table, rule.replace(/^-A/, '-D'));
    for (const chain of chains) change(family, table, `-F ${chain}`);
    for (const chain of chains) change(family, table, `-X ${chain}`);
  });
  change('iptables', 'filter', `-P FORWARD ${forward}`);
  writeFileSync(ipForwardFile, ipForward);
  rmSync(keptFile);
}

/** Any engine, also one that is not ours. */
const engineRuns = (): boolean => processes().some((pid) => programOf(pid) === 'dockerd');

function eachTable(task: (family: string, table: string) => void): void {
  for (const family of families) for (const table of tables) task(family, table);
}

/** As `-S` prints them; none where the kernel does not have the table. */
function rules(family: string, table: string): string[] {
  try {
    return execFileSync(family, ['-w', '-t', table, '-S'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .trim()
      .split('\n');
  } catch {
    return [];
  }
}

const change = (family: string, table: string, rule: string): void => {
  const words = rule.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''));
  execFileSync(family, ['-w', '-t', table, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
};
