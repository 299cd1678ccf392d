import type { Gate } from './gate.ts';
import { node } from './docker-images.ts';
import { type Shop, shop } from './stack.ts';

/** The phases in which a deployment of the shop can be blocked by a gate. */
export const stackPhases = ['build', 'start_first', 'stop_first', 'both'] as const;
export type StackPhase = (typeof stackPhases)[number];

const until = (gate: Gate) => [
  'healthcheck:',
  `  test: ["CMD-SHELL", "wget -q -O /dev/null ${gate.at}"]`,
  '  interval: 300ms',
  '  timeout: 3s',
  '  retries: 200',
];

/** Publishes the database, so that its replacement can be observed. */
export const publicDb = (healthcheck: string[]): string[] => [
  `image: ${node.name}`,
  'command: ["node", "/program/db.js"]',
  'volumes: ["data:/data", "./db:/program:ro"]',
  'ports: ["3000"]',
  ...healthcheck,
];

export const healthy = [
  'healthcheck:',
  `  test: ["CMD", "node", "-e", "fetch('http://127.0.0.1:3000/').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]`,
  '  interval: 500ms',
  '  timeout: 3s',
  '  retries: 40',
];

/** A shop whose deployment blocks in that phase until the gate is open. */
export function heldShop(phase: StackPhase, gate: Gate, versions: Shop): string {
  const db = publicDb(phase === 'stop_first' || phase === 'both' ? until(gate) : healthy);
  const dockerfile = `FROM ${node.name}\nWORKDIR /app\nCOPY . .\nRUN ${gate.wait}\nCMD ["node", "server.js"]\n`;
  return shop({
    ...versions,
    lines: { db },
    ...(phase === 'build' && { files: { 'api/Dockerfile': dockerfile } }),
    ...(phase === 'start_first' && { more: { api: until(gate) } }),
  });
}
