import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlClient, EdgeNotRunningError } from '../../builtin/control/client.ts';
import { type EdgeSettings, edgeFilesOf } from '../../builtin/protocol.ts';
import { startProcess } from '../../builtin/process/start.ts';
import type { StartFailure } from '../bridge-protocol.ts';
import { currentFile, failureFile, programFolder } from '../container-paths.ts';

const firstPauseMs = 500;
const longestPauseMs = 5000;
const stopMs = 8000;
const mostTries = 10;
const betweenTriesMs = 100;

const forever = new Promise<never>(() => {});

/** Keeps an edge running for the life of the container. Reads the name of the program anew before each start. */
export async function keepEdgeRunning(settings: EdgeSettings): Promise<never> {
  const client = new ControlClient(edgeFilesOf(settings.dataDir).socket, settings.instanceId);
  let isEnding = false;
  process.once('SIGTERM', () => {
    isEnding = true;
    void end(client);
  });
  let attempt = 0;
  for (let pauseMs = firstPauseMs; ;) {
    try {
      if (!(await client.hello())) await start(settings);
      rmSync(failureFile, { force: true });
      pauseMs = firstPauseMs;
      await client.untilGone();
      // `end` waits for the current edge; do not start another one.
      if (isEnding) await forever;
    } catch (error) {
      const { message } = error as Error;
      say(message);
      noteFailure({ message, attempt: ++attempt });
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }
}

async function start(settings: EdgeSettings): Promise<void> {
  const program = join(settings.dataDir, programFolder, await currentProgram(settings.dataDir));
  const child = await startProcess({ execPath: process.execPath, program, settings });
  child.disconnect();
  child.unref();
  say(`started the edge, process ${child.pid}`);
}

/** The engine removes a file before it writes its replacement, so retry. */
async function currentProgram(dataDir: string): Promise<string> {
  const file = join(dataDir, programFolder, currentFile);
  for (let tries = 1; ; tries++) {
    const name = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (name) return name;
    if (tries === mostTries) throw new Error('the program of the edge is not set');
    await sleep(betweenTriesMs);
  }
}

function noteFailure(failure: StartFailure): void {
  writeFileSync(`${failureFile}.draft`, JSON.stringify(failure));
  renameSync(`${failureFile}.draft`, failureFile);
}

/** Lets the edge finish requests in flight; the container stops with this process. */
async function end(client: ControlClient): Promise<never> {
  try {
    await client.call('POST', '/stop', undefined, stopMs);
  } catch (error) {
    // The connection closes with the edge's process.
    if (!(error instanceof EdgeNotRunningError)) say(`the edge did not end by itself: ${(error as Error).message}`);
  }
  process.exit(0);
}

/** The engine keeps a bounded log of stdout. */
const say = (what: string): void => void process.stdout.write(`${new Date().toISOString()} ${what}\n`);
