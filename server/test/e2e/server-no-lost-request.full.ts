import { describe } from 'vitest';
import { deployedAllTheTime } from '../rig/deployed-all-the-time.ts';
import { has } from '../rig/parts.ts';
import { startServerStage } from '../rig/server-stage.ts';

describe.runIf(has('docker') && has('sshd'))('visitors of an app on a server that is deployed all the time', () => {
  deployedAllTheTime(() => startServerStage());
});
