import { describe } from 'vitest';
import { killedAnywhere } from '../rig/killed-anywhere.ts';
import { has } from '../rig/parts.ts';
import { startServerStage } from '../rig/server-stage.ts';

describe.runIf(has('docker') && has('sshd'))('kill -9 of the service, with releases on a server', () => {
  killedAnywhere(() => startServerStage());
});
