import { hash, randomBytes } from 'node:crypto';

/** 256 random bits as 43 URL-safe characters. */
export const randomSecret = (): string => randomBytes(32).toString('base64url');

/** Stored form of random secrets. They have 256 bits, so a fast hash is enough. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');
