import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Starts and stops machines; see its head. */
export const machineProgram = join(import.meta.dirname, 'systemd-machine.sh');

export const machinePrefix = 'machine-';

/** Stops the machines of a run, whatever state they are in. */
export function stopMachines(runFolder: string): void {
  for (const name of existsSync(runFolder) ? readdirSync(runFolder) : [])
    if (name.startsWith(machinePrefix)) execFileSync(machineProgram, ['stop', join(runFolder, name)]);
}
