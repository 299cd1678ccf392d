import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type EngineNamespace, removeNamespace } from './docker-namespace.ts';
import { endProcesses, endProcessesOf, processes, processesOf, waitForNone } from './processes.ts';

/** Written to an engine's folder before anything is created: lists what to clean up. */
export const recordFile = 'namespace.json';

/** Removes the engines of a run by their records. */
export function removeEngines(runFolder: string): void {
  for (const name of existsSync(runFolder) ? readdirSync(runFolder) : [])
    if (name.startsWith('docker-')) removeEngine(join(runFolder, name));
}

/** Removes an engine with everything it made, running or killed: processes, mounts, network, control groups, files.
 * Works without the engine. */
export function removeEngine(folder: string): void {
  const record = join(folder, recordFile);
  if (!existsSync(record)) return;
  const namespace = JSON.parse(readFileSync(record, 'utf8')) as EngineNamespace;
  const ofContainers = () => processes().filter((pid) => cgroupsOf(pid).includes(`/${namespace.name}/`));
  // Supervisors first, since they would restart others.
  endProcessesOf(folder);
  endProcesses(ofContainers());
  waitForNone(() => [...ofContainers(), ...processesOf(folder)]);
  unmountIn(folder);
  removeNamespace(namespace);
  removeCgroups(namespace.name);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function cgroupsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').replaceAll('\n', '/\n');
  } catch {
    // It ended in the meantime.
    return '';
  }
}

/** Unmounts everything below a folder. */
export function unmountIn(folder: string): void {
  for (const mount of mountsIn(folder)) execFileSync('umount', ['--lazy', mount]);
}

/** Innermost first. */
const mountsIn = (folder: string): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(
      (line) =>
        line.split(' ')[1]?.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))) ??
        '',
    )
    .filter((path) => path.startsWith(`${folder}/`))
    .toReversed();

/** One tree on cgroup v2, one per controller on v1. */
function removeCgroups(name: string): void {
  const root = '/sys/fs/cgroup';
  const trees = [join(root, name), ...readdirSync(root).map((controller) => join(root, controller, name))];
  for (const tree of trees.filter((each) => existsSync(each))) removeTree(tree);
}

function removeTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  rmdirSync(folder);
}
