import { describe } from 'vitest';
import { deployedAllTheTime } from '../rig/deployed-all-the-time.ts';
import { startDockerStage } from '../rig/docker-stage.ts';
import { has } from '../rig/parts.ts';

describe.runIf(has('docker'))('clients of a continuously deployed app in containers', () => {
  deployedAllTheTime(() => startDockerStage());
});
