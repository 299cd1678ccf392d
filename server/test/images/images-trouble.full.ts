import { afterAll, beforeAll, describe } from 'vitest';
import { has } from '../rig/parts.ts';
import { type ImagesEngine, startImagesEngine } from '../../src/drivers/images/images-rig.ts';
import { troubleContract } from '../../src/drivers/images/failures-contract.ts';

describe.runIf(has('docker'))('failures of images', () => {
  let engine: ImagesEngine;
  beforeAll(async () => {
    engine = await startImagesEngine();
  });
  afterAll(() => engine?.close());

  troubleContract(() => engine);
});
