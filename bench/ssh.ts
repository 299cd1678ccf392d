import { EngineClient, engineAt } from '../server/src/drivers/runtime/docker/engine/client.ts';
import { endRun, rigFolder } from '../server/test/rig/children.ts';
import { startDocker } from '../server/test/rig/docker.ts';
import { engineDoor } from '../server/test/rig/engine-over-ssh.ts';
import type { BenchmarkRow } from './table.ts';

const calls = process.env['BENCH_QUICK'] === '1' ? 50 : 300;
const rounds = 3;

/** Docker API calls through an SSH server on this machine, compared with the engine's socket. */
export async function ssh(): Promise<BenchmarkRow[]> {
  const engine = await startDocker();
  const door = await engineDoor(engine.address);
  const [through, direct] = [new EngineClient(door.connect), new EngineClient(engineAt(engine.address))];
  try {
    const began = performance.now();
    await through.ping();
    const first = performance.now() - began;
    await direct.ping();
    return [
      { what: 'first Docker API call over SSH, sign-in included', measured: `${first.toFixed(0)} ms` },
      await against('Docker API call over SSH', (client) => oneByOne(client, '/version'), through, direct),
      await against('list of containers over SSH', (client) => oneByOne(client, '/containers/json'), through, direct),
    ];
  } finally {
    through.close();
    direct.close();
    await door.close();
    await engine.close();
    endRun(rigFolder());
  }
}

/** Milliseconds per sequential call. */
async function oneByOne(client: EngineClient, path: string): Promise<number> {
  const began = performance.now();
  for (let i = 0; i < calls; i++) await client.json({ method: 'GET', path });
  return (performance.now() - began) / calls;
}

/** Other load only ever makes a result worse, so the best round is the most accurate. */
async function against(
  what: string,
  measure: (client: EngineClient) => Promise<number>,
  through: EngineClient,
  direct: EngineClient,
): Promise<BenchmarkRow> {
  let [ours, bare] = [Infinity, Infinity];
  for (let round = 0; round < rounds; round++) {
    ours = Math.min(ours, await measure(through));
    bare = Math.min(bare, await measure(direct));
  }
  return {
    what,
    measured: `${ours.toFixed(2)} ms`,
    against: `the socket itself ${bare.toFixed(2)} ms`,
    ratio: `${(ours / bare).toFixed(2)} x`,
    aim: 'under 10 ms',
  };
}
