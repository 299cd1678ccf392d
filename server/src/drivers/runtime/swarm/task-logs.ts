import { splitLines } from '../../host/lines.ts';
import type { LogLine } from '../runtime.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError, goneOrGoing, undefinedIfGone } from '../docker/engine/errors.ts';
import { logFrames } from '../docker/logs/frames.ts';
import { containerRedactor } from '../docker/logs/container-redactor.ts';
import { mainService } from '../docker/service/files.ts';
import { replicaOf } from '../replicas.ts';
import type { OwnService } from './own-services.ts';
import type { TaskInfo } from './types.ts';

const mostLines = 10_000;

/** Reads the output of tasks on nodes whose engines we do not reach, through the manager. It is not recorded: with
 * the container it is gone. */
export async function unreachedLogs(
  engine: EngineClient,
  services: readonly OwnService[],
  reached: readonly string[],
  { tail = mostLines, since = 0 }: { tail?: number; since?: number },
): Promise<LogLine[]> {
  const isUnreached = ({ NodeID, Status }: TaskInfo) =>
    NodeID !== undefined && !reached.includes(NodeID) && Boolean(Status.ContainerStatus?.ContainerID);
  const all = services.flatMap((service) => service.tasks.filter(isUnreached).map((task) => ({ service, task })));
  const lines = await Promise.all(all.map(({ service, task }) => linesOf(engine, service, task, tail)));
  return lines.flat().filter(({ at }) => at > since);
}

async function linesOf(engine: EngineClient, { owner }: OwnService, task: TaskInfo, tail: number) {
  const { Labels, Env } = task.Spec.ContainerSpec;
  const redact = containerRedactor({ Config: { Labels: Labels ?? null, Env: (Env ?? []) as string[] } });
  const service = owner.service === mainService ? {} : { service: owner.service };
  const lines: LogLine[] = [];
  let at = 0;
  const add = (stream: LogLine['stream']) =>
    splitLines((line) =>
      lines.push({
        at,
        stream,
        line: redact(line),
        ...service,
        ...(replicaOf(owner) > 1 && { replica: owner.replica! }),
      }),
    );
  const streams = { stdout: add('stdout'), stderr: add('stderr') };
  const query = { stdout: true, stderr: true, timestamps: true, tail };
  try {
    const path = `/tasks/${task.ID}/logs`;
    const log = await undefinedIfGone(engine.open({ method: 'GET', path, query }), goneOrGoing);
    if (!log) return [];
    for await (const { stream, mark, content } of logFrames(log)) {
      at = Date.parse(mark);
      streams[stream].push(content);
    }
  } catch (error) {
    // Its node is away, and its output with it.
    if (!(error instanceof EngineError)) throw error;
  }
  return lines;
}
