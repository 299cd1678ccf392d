import { storageContract } from './contract.ts';
import { createMemoryStorage } from './memory.ts';

storageContract('memory', async () => ({
  storage: createMemoryStorage(),
  leftovers: async () => [],
  close: async () => {},
}));
