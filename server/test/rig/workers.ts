import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { TestApp } from './app.ts';
import { exited, spawnRecorded } from './children.ts';
import { until } from './until.ts';

export type WorkerTask = {
  name: string;
  settings: { dataDir: string; databaseUrl: string | undefined };
  keyPath: string;
  folder: string;
  portRange: { from: number; to: number };
};

export interface WorkerProcess {
  child: ChildProcess;
  output(): string;
  freeze(): void;
  goOn(): void;
  stop(): Promise<void>;
}

/** Starts a replica of the app's instance as a process, which works on deployments with real apps and a real edge. */
export async function startWorker(app: TestApp, name: string, firstPort: number): Promise<WorkerProcess> {
  const { settings, keyPath, folder } = app.instance;
  const portRange = { from: firstPort, to: firstPort + 11 };
  const task: WorkerTask = { name, settings, keyPath, folder, portRange };
  const program = join(import.meta.dirname, 'worker-program.ts');
  const child = spawnRecorded(process.execPath, [program, JSON.stringify(task)], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(
    `${name} works`,
    () => {
      if (child.exitCode !== null) throw new Error(output);
      return output.includes('works');
    },
    60_000,
  );
  return {
    child,
    output: () => output,
    freeze: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL');
      await exited(child);
    },
  };
}
