import { staleFence } from '../../../stale-fence.ts';
import { splitLines } from '../../../host/lines.ts';
import type { ImageRelease, RunOnce } from '../../runtime.ts';
import type { EngineClient } from '../engine/client.ts';
import { isInitMissing } from './init-process.ts';
import { logFrames } from '../logs/frames.ts';
import type { OwnContainer } from '../own-containers.ts';
import { imageOf, type StartParts } from './create.ts';
import { mainService } from '../service/files.ts';
import { prepareMounts } from '../service/mounts.ts';
import { createServiceContainerOf } from '../service/start.ts';

type Options = Parameters<RunOnce>[1];

/** Runs one command in a container, which is removed afterwards in any case. */
export async function runOnce(
  parts: StartParts,
  spec: ImageRelease,
  name: string,
  options: Options,
): Promise<{ exitCode: number }> {
  try {
    return await attempt(parts, spec, name, options);
  } catch (error) {
    if (parts.init.isMissing || !isInitMissing(error)) throw error;
    parts.init.isMissing = true;
    return attempt(parts, spec, name, options);
  }
}

async function attempt(
  parts: StartParts,
  spec: ImageRelease,
  name: string,
  options: Options,
): Promise<{ exitCode: number }> {
  const { containers, engine } = parts;
  options.signal.throwIfAborted();
  const left = await containers.find(name);
  if (left && left.owner.fence > spec.owner.fence) throw staleFence(spec.owner, left.owner.fence);
  if (left) await containers.remove(left);
  const created = await create(parts, spec, name);
  const stop = AbortSignal.any([options.signal, AbortSignal.timeout(options.deadlineMs)]);
  try {
    await containers.startOnce(created);
    const [exitCode] = await Promise.all([
      containers.wait(created, options.deadlineMs, stop),
      readOutput(engine, created, options.onLine, stop),
    ]);
    return { exitCode };
  } catch (error) {
    throw stop.aborted ? stop.reason : error;
  } finally {
    await containers.remove(created);
  }
}

/** Uses the networks and volumes of the app, without names, ports, fixed addresses or restarts. */
async function create(parts: StartParts, spec: ImageRelease, name: string): Promise<OwnContainer> {
  const image = await imageOf(parts.engine, spec);
  const restart = { policy: 'no', maxAttempts: null } as const;
  const networks = spec.service.networks.map(({ address: _address, ...network }) => network);
  const service = { ...spec.service, isNamedAtOnce: false, ports: [], restart, networks };
  const once = { ...spec, service, healthcheck: null };
  const mounts = await prepareMounts(parts, { ...once, owner: { ...spec.owner, service: mainService } }, image);
  return createServiceContainerOf(parts, once, { name, port: undefined, image, mounts });
}

/** Reads its output from start to exit. */
async function readOutput(
  engine: EngineClient,
  { info: { Id } }: OwnContainer,
  onLine: Options['onLine'],
  signal: AbortSignal,
): Promise<void> {
  const lines = {
    stdout: splitLines((line) => onLine(line, 'stdout')),
    stderr: splitLines((line) => onLine(line, 'stderr')),
  };
  const query = { follow: true, stdout: true, stderr: true, timestamps: true };
  const log = await engine.open({ method: 'GET', path: `/containers/${Id}/logs`, query, signal });
  for await (const { stream, content } of logFrames(log)) lines[stream].push(content);
  lines.stdout.end();
  lines.stderr.end();
}
