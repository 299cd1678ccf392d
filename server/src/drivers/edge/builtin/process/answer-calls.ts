import { type EdgeLog, logFailure } from '../log.ts';
import { type TrafficControl, trafficControlOf } from '../traffic-control.ts';
import type { Traffic } from '../traffic.ts';
import type { Channel, Companion, CompanionCall, CompanionReply, WorkerCall } from './companion.ts';

type Numbered = (CompanionCall | WorkerCall) & { call: number };

/** Answers the calls of the process that owns the routes, and forwards them to the companions of this one. `more`
 * answers those to a worker. */
export function answerCalls(
  channel: Channel,
  traffic: Traffic,
  companions: () => Companion[],
  log: EdgeLog,
  more?: (message: WorkerCall) => Promise<void>,
): void {
  const { routes, holds, upstreams, counts } = traffic;
  const rest = trafficControlOf(traffic, companions);
  const run = async (message: CompanionCall | WorkerCall): Promise<Omit<CompanionReply, 'call'>> => {
    switch (message.type) {
      case 'table':
        routes.adopt(message.projects);
        upstreams.keepOnly(routes.table);
        holds.lookAgain();
        await Promise.all(companions().map((each) => each.useTable(message.projects)));
        return { left: 0 };
      case 'counts':
        await Promise.all(companions().map((each) => each.tellCounts()));
        return { left: 0, minutes: counts.takeNews() };
      case 'drain':
      case 'hold':
      case 'resume':
        return { left: await bringToRest(rest, message) };
      default:
        await more?.(message);
        return { left: 0 };
    }
  };
  const answer = async (message: Numbered): Promise<void> => {
    const reply = await run(message);
    channel.send({ ...reply, call: message.call }, (error) => error && logFailure(log, 'an answer is lost')(error));
  };
  channel.on('message', (message: Numbered) => void answer(message).catch(logFailure(log, 'a call failed')));
}

async function bringToRest(
  rest: TrafficControl,
  message: Exclude<CompanionCall, { type: 'table' | 'counts' }>,
): Promise<number> {
  const { deploymentId } = message;
  if (message.type === 'drain') return rest.drain(deploymentId, message.withinMs);
  if (message.type === 'hold') return rest.hold(deploymentId, message);
  await rest.resume(deploymentId);
  return 0;
}

/** Sends the last counts. Resolves when they are sent, or nobody listens any more. */
export const sendLastCounts = (channel: Channel, { counts }: Traffic): Promise<void> =>
  new Promise((resolve) => {
    const last: CompanionReply = { call: null, left: 0, minutes: counts.takeNews() };
    if (channel.connected) channel.send(last, () => resolve());
    else resolve();
  });
