import { setTimeout as sleep } from 'node:timers/promises';
import {
  environmentOf,
  processesSince,
  type ProcessFacts,
  type ProcessId,
  readProcess,
  signalProcess,
} from './processes.ts';

/** Everything that one start of a program has brought to life. */
export interface Tree {
  /** Leads a session and a group of its own. Null when nobody knows it: whoever started it died. */
  leader: ProcessId | null;
  /** How a variable begins that only this was started with: finds what has left the session (a daemon). */
  marker: string;
  /** Nothing that began before, in ticks since the boot, can come from it. */
  since: string;
}

const killPhaseMs = 5_000;
const mostLooks = 6;

/** Who belongs to it and lives: the leader's descendants, its group, its session, and what carries the marker. */
export const membersOf = (tree: Tree): ProcessFacts[] => look(tree).members;

/** `unsure`: who ended while we looked, so that a child may have been missed, and who does not show its variables. */
function look({ leader, marker, since }: Tree): { members: ProcessFacts[]; unsure: number[] } {
  const { living, ended } = processesSince(since);
  const holder = leader && readProcess(leader.pid);
  // When somebody else has the leader's number by now, a group of that number is somebody else's too.
  const group = leader && (!holder || holder.startTime === leader.startTime) ? leader.pid : undefined;
  const members = new Map<number, ProcessFacts>();
  const unsure = [...ended];
  const visit = (found: ProcessFacts) => {
    if (members.has(found.pid)) return;
    members.set(found.pid, found);
    for (const child of living) if (child.parent === found.pid) visit(child);
  };
  for (const each of living) {
    const related = group !== undefined && [each.pid, each.group, each.session].includes(group);
    const variables = related || members.has(each.pid) ? '' : environmentOf(each.pid);
    if (related || variables.includes(`\0${marker}`)) visit(each);
    else if (!variables) unsure.push(each.pid);
  }
  return { members: [...members.values()], unsure };
}

/** Who is left. A daemon begins by ending its parent: as long as there is somebody new to be unsure of, to find nobody
 * is no proof, and we look again. */
async function remaining(tree: Tree): Promise<ProcessFacts[]> {
  const known = new Set<number>();
  for (let looks = 1; ; looks++) {
    const { members, unsure } = look(tree);
    if (members.length || looks === mostLooks || unsure.every((pid) => known.has(pid))) return members;
    for (const pid of unsure) known.add(pid);
    await sleep(2 ** looks);
  }
}

/** Asks all of them to end, waits, then ends them. Each is signalled by itself, by number and start time. Gives how many
 * there were. */
export async function endTree(tree: Tree, graceMs: number): Promise<number> {
  const graceEnds = Date.now() + graceMs;
  const found = await remaining(tree);
  const asked = new Set<number>();
  const ask = (each: ProcessFacts) => {
    asked.add(each.pid);
    signalProcess(each, 'SIGTERM');
  };
  found.forEach(ask);
  let left = found;
  while (left.length && Date.now() < graceEnds) {
    await sleep(Math.min(50, Math.max(1, graceEnds - Date.now())));
    left = await remaining(tree);
    // Begun after we asked. One whose parent lives may be what the parent needs for a good end; the others are asked too.
    const parents = new Set(left.map(({ pid }) => pid));
    left.filter(({ pid, parent }) => !asked.has(pid) && !parents.has(parent)).forEach(ask);
  }
  // Again and again: one of them may be forking while we look.
  for (const giveUp = Date.now() + killPhaseMs; left.length; left = await remaining(tree)) {
    if (Date.now() > giveUp)
      throw new Error(`processes ${left.map(({ pid }) => pid).join(', ')} do not end, not even by SIGKILL`);
    for (const each of left) signalProcess(each, 'SIGKILL');
    await sleep(20);
  }
  return found.length;
}
