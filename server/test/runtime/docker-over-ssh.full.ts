import { afterAll, beforeAll, describe } from 'vitest';
import { runtimeContract } from '../../src/drivers/runtime/contract.ts';
import { dockerRig, type RuntimeEngine, startRuntimeEngine } from '../../src/drivers/runtime/docker/docker-rig.ts';
import { type EngineDoor, engineDoor } from '../rig/engine-over-ssh.ts';
import { has } from '../rig/parts.ts';

describe.runIf(has('docker') && has('sshd'))('on an engine behind SSH', () => {
  let engine: RuntimeEngine;
  let door: EngineDoor;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
    door = await engineDoor(engine.address);
  });
  afterAll(async () => {
    await door?.close();
    await engine?.close();
  });

  runtimeContract('docker over ssh', () => dockerRig(engine, { connect: door.connect }));
});
