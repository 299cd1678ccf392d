import { parseArgs } from 'node:util';
import { createEdgeLog, logFailure } from './log.ts';
import { meetPredecessor } from './process/predecessor.ts';
import { edgeFilesOf, type StartReport } from './protocol.ts';
import { serveAsWorker } from './process/worker.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';
import { serveEdge } from './serve.ts';

// Entry point of the edge process. Started by its driver, the previous edge or the one it works for; uses no environment variables.
const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    instance: { type: 'string' },
    host: { type: 'string' },
    port: { type: 'string' },
    'take-over': { type: 'boolean', default: false },
    worker: { type: 'boolean', default: false },
  },
});
const settings = {
  dataDir: values['data-dir']!,
  instanceId: values.instance!,
  host: values.host!,
  port: Number(values.port),
};

// The edge's files and its control socket are private to its user.
process.umask(0o177);
const log = createEdgeLog(edgeFilesOf(settings.dataDir).log);
// One broken connection must not bring down the others.
process.on('uncaughtException', logFailure(log, 'uncaught'));
releaseMemoryWhenIdle();
process.on('SIGHUP', () => log('continues after SIGHUP'));

const report = (message: StartReport) =>
  new Promise<void>((resolve) => (process.connected ? process.send!(message, () => resolve()) : resolve()));

// Without a top-level `await`, so that it can be bundled as CommonJS, which uses 12 MB less memory than a module.
async function start(): Promise<void> {
  if (values.worker) return serveAsWorker(settings, log);
  const predecessor = values['take-over'] ? await meetPredecessor() : null;
  const end = await serveEdge(settings, process.argv[1]!, predecessor, log);
  process.once('SIGTERM', end).once('SIGINT', end);
  return report({ type: 'ready' });
}

start().catch(async (error: NodeJS.ErrnoException) => {
  logFailure(log, 'could not start')(error);
  await report({ type: 'failed', code: error.code ?? '', message: error.message });
  process.exit(1);
});
