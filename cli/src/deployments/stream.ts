import { eventsOf, type OnContact } from '../event-stream.ts';
import type { Instance } from '../instance.ts';

type At = { seq: number; at: string };
export type DeploymentEvent = At &
  (
    | { type: 'log'; line: string; level: string; step: string | null; stream: string; service: string | null }
    | { type: 'step'; name: string; status: string; attempt?: number }
    | { type: 'status'; status: string; decision?: string }
    | {
        type: 'prompt';
        id: string;
        question: string;
        options: string[];
        byDefault?: string;
        expiresAt: number | string;
      }
    | { type: 'service'; name: string; status: string; error: string | null }
    | { type: 'end'; status: string }
  );

export const deploymentEvents = (
  instance: Instance,
  id: string,
  onContact?: OnContact,
): AsyncGenerator<DeploymentEvent> => eventsOf(instance, `/api/deployments/${encodeURIComponent(id)}`, onContact);
