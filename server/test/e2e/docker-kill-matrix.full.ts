import { describe } from 'vitest';
import { startDockerStage } from '../rig/docker-stage.ts';
import { killedAnywhere } from '../rig/killed-anywhere.ts';
import { has } from '../rig/parts.ts';

describe.runIf(has('docker'))('kill -9 of the service, with releases in containers', () => {
  killedAnywhere(() => startDockerStage());
});
