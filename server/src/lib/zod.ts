export * as z from './lazy-zod.ts';
