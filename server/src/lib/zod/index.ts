export * as z from './lazy.ts';
