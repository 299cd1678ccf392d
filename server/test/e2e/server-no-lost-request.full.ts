import { describe } from 'vitest';
import { deployedAllTheTime } from '../rig/deployed-all-the-time.ts';
import { has } from '../rig/parts.ts';
import { startServerStage } from '../rig/server-stage.ts';

describe.runIf(has('docker') && has('sshd'))('clients of a continuously deployed app on a server', () => {
  deployedAllTheTime(() => startServerStage());
});
