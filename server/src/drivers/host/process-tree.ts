import { setTimeout as sleep } from 'node:timers/promises';
import {
  environmentOf,
  processesSince,
  type ProcessFacts,
  type ProcessId,
  readProcess,
  signalProcess,
} from './processes.ts';

/** All processes of one program start. */
export interface ProcessTree {
  /** Leads its own session and group. Null when unknown, because its parent died. */
  leader: ProcessId | null;
  /** Prefix of a variable unique to this start: finds processes that left the session (daemons). */
  marker: string;
  /** Start time in ticks since boot; older processes cannot belong to it. */
  since: string;
}

const killPhaseMs = 5_000;
const mostLooks = 6;

/** Returns its live processes: the leader's descendants, its group, its session, and those with the marker. */
export const membersOf = (tree: ProcessTree): ProcessFacts[] => look(tree).members;

/** `unsure`: processes that exited during the scan, so that a child may be missed, and those whose environment is not
 * readable. */
function look({ leader, marker, since }: ProcessTree): { members: ProcessFacts[]; unsure: number[] } {
  const { living, ended } = processesSince(since);
  const holder = leader && readProcess(leader.pid);
  // If the leader's pid was reused, a group of that number is foreign too.
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

/** Returns the remaining processes. A daemon starts by ending its parent, so as long as there are new unsure
 * processes an empty result is no proof, and the scan is repeated. */
async function remaining(tree: ProcessTree): Promise<ProcessFacts[]> {
  const known = new Set<number>();
  for (let looks = 1; ; looks++) {
    const { members, unsure } = look(tree);
    if (members.length || looks === mostLooks || unsure.every((pid) => known.has(pid))) return members;
    for (const pid of unsure) known.add(pid);
    await sleep(2 ** looks);
  }
}

/** Sends SIGTERM to all, waits, then sends SIGKILL. Each process is signaled individually, by pid and start time.
 * Returns their number. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<number> {
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
    // Started after the SIGTERM. A child of a live parent may be part of its shutdown; others get a SIGTERM too.
    const parents = new Set(left.map(({ pid }) => pid));
    left.filter(({ pid, parent }) => !asked.has(pid) && !parents.has(parent)).forEach(ask);
  }
  // Repeated, because a process may fork during the scan.
  for (const giveUp = Date.now() + killPhaseMs; left.length; left = await remaining(tree)) {
    if (Date.now() > giveUp)
      throw new Error(`processes ${left.map(({ pid }) => pid).join(', ')} do not end, not even by SIGKILL`);
    for (const each of left) signalProcess(each, 'SIGKILL');
    await sleep(20);
  }
  return found.length;
}
