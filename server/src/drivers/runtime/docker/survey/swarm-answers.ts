import { z } from 'zod';
import { listField, number, optional, pairs, text, texts } from './fields.ts';

// Schemas of the Swarm's objects, as in `answers.ts`.

const id = z.string().regex(/^[0-9a-z]{1,64}$/);
const OneFile = z.object({ Name: text, UID: text, GID: text, Mode: number }).nullish();

const Service = z.object({
  ID: id,
  CreatedAt: text,
  Spec: z.object({
    Name: z.string(),
    Labels: pairs,
    Mode: z.record(z.string(), z.unknown()).nullish(),
    TaskTemplate: z.object({
      ContainerSpec: z
        .object({
          Image: text,
          Env: texts,
          Labels: pairs,
          StopGracePeriod: optional(z.number()),
          Mounts: listField(z.object({ Type: text, Source: text, Target: text })),
          Secrets: listField(z.object({ SecretID: id, SecretName: text, File: OneFile })),
          Configs: listField(z.object({ ConfigID: id, ConfigName: text, File: OneFile })),
          // A service of plugins has none.
        })
        .prefault({}),
      RestartPolicy: z.object({ Condition: text, MaxAttempts: number }).nullish(),
      Networks: listField(z.object({ Target: text, Aliases: texts })),
    }),
    Networks: listField(z.object({ Target: text, Aliases: texts })),
  }),
  Endpoint: z
    .object({
      Ports: listField(z.object({ Protocol: text, TargetPort: number, PublishedPort: number, PublishMode: text })),
    })
    .nullish(),
});
export type ServiceFacts = z.output<typeof Service>;
export const ServiceList = z.array(Service);

const Task = z.object({
  ServiceID: text,
  NodeID: text,
  DesiredState: text,
  Status: z.object({ State: text }),
});
export type TaskFacts = z.output<typeof Task>;
export const TaskList = z.array(Task);

const Node = z.object({ ID: z.string(), Description: z.object({ Hostname: text }) });
export type NodeFacts = z.output<typeof Node>;
export const NodeList = z.array(Node);

const Config = z.object({ ID: z.string(), Spec: z.object({ Data: optional(z.string()) }) });
export type SwarmConfigFacts = z.output<typeof Config>;
export const ConfigList = z.array(Config);
