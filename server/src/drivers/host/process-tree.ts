import { setTimeout as sleep } from 'node:timers/promises';
import {
  allProcesses,
  type ProcessFacts,
  type ProcessId,
  readProcess,
  signalProcess,
  wasStartedWith,
} from './processes.ts';

/** Everything that one start of an app has brought to life. */
export interface Tree {
  /** Leads a session and a group of its own. Null when whoever started it died before it could write that down. */
  leader: ProcessId | null;
  /** A variable that only this app was started with: finds what has left the session (a daemon). */
  marker: string;
  /** Nothing that began before, in ticks since the boot, can come from it. */
  since: string;
}

const killPhaseMs = 5_000;

/** Who belongs to the app and lives: the leader's descendants, its group, its session, and what carries the marker. */
export function membersOf({ leader, marker, since }: Tree): ProcessFacts[] {
  const candidates = allProcesses().filter((each) => Number(each.startTime) >= Number(since));
  const holder = leader && readProcess(leader.pid);
  // When somebody else has the leader's number by now, a group of that number is somebody else's too.
  const group = leader && (!holder || holder.startTime === leader.startTime) ? leader.pid : undefined;
  const members = new Map<number, ProcessFacts>();
  const visit = (found: ProcessFacts) => {
    if (members.has(found.pid)) return;
    members.set(found.pid, found);
    for (const child of candidates) if (child.parent === found.pid) visit(child);
  };
  for (const each of candidates) {
    const related = group !== undefined && [each.pid, each.group, each.session].includes(group);
    if (related || (!members.has(each.pid) && wasStartedWith(each.pid, marker))) visit(each);
  }
  return [...members.values()];
}

/** Asks all of them to end, waits, then ends them. Each is signalled by itself, by number and start time. */
export async function endTree(tree: Tree, graceMs: number): Promise<void> {
  const graceEnds = Date.now() + graceMs;
  for (const each of membersOf(tree)) signalProcess(each, 'SIGTERM');
  while (Date.now() < graceEnds) {
    if (!membersOf(tree).length) return;
    await sleep(Math.min(50, Math.max(1, graceEnds - Date.now())));
  }
  // Again and again: one of them may be forking while we look.
  for (const giveUp = Date.now() + killPhaseMs; ; await sleep(20)) {
    const left = membersOf(tree);
    if (!left.length) return;
    if (Date.now() > giveUp)
      throw new Error(`processes ${left.map(({ pid }) => pid).join(', ')} do not end, not even by SIGKILL`);
    for (const each of left) signalProcess(each, 'SIGKILL');
  }
}
