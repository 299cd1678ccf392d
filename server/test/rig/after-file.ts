import { afterAll, inject } from 'vitest';
import { dropDatabases } from './postgres.ts';

// They are in memory.
afterAll(() => dropDatabases(inject('postgresUrl')));
