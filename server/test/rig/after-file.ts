import { afterAll, inject } from 'vitest';
import { dropDatabases } from './postgres.ts';

// The databases of a file that has ended only take memory.
afterAll(() => dropDatabases(inject('postgresUrl')));
