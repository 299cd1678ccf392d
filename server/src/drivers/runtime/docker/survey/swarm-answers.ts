import { z } from '../../../../lib/zod/index.ts';
import { listAnswer, numberAnswer, optionalAnswer, pairsAnswer, textAnswer, textsAnswer } from './fields.ts';

// Schemas of the Swarm's objects, as in `answers.ts`.

const id = z.string().regex(/^[0-9a-z]{1,64}$/);
const OneFile = z.object({ Name: textAnswer, UID: textAnswer, GID: textAnswer, Mode: numberAnswer }).nullish();

const Service = z.object({
  ID: id,
  CreatedAt: textAnswer,
  Spec: z.object({
    Name: z.string(),
    Labels: pairsAnswer,
    Mode: z.record(z.string(), z.unknown()).nullish(),
    TaskTemplate: z.object({
      ContainerSpec: z
        .object({
          Image: textAnswer,
          Env: textsAnswer,
          Labels: pairsAnswer,
          StopGracePeriod: optionalAnswer(z.number()),
          Mounts: listAnswer(z.object({ Type: textAnswer, Source: textAnswer, Target: textAnswer })),
          Secrets: listAnswer(z.object({ SecretID: id, SecretName: textAnswer, File: OneFile })),
          Configs: listAnswer(z.object({ ConfigID: id, ConfigName: textAnswer, File: OneFile })),
          // A service of plugins has none.
        })
        .prefault({}),
      RestartPolicy: z.object({ Condition: textAnswer, MaxAttempts: numberAnswer }).nullish(),
      Networks: listAnswer(z.object({ Target: textAnswer, Aliases: textsAnswer })),
    }),
    Networks: listAnswer(z.object({ Target: textAnswer, Aliases: textsAnswer })),
  }),
  Endpoint: z
    .object({
      Ports: listAnswer(
        z.object({
          Protocol: textAnswer,
          TargetPort: numberAnswer,
          PublishedPort: numberAnswer,
          PublishMode: textAnswer,
        }),
      ),
    })
    .nullish(),
});
export type ServiceFacts = z.output<typeof Service>;
export const ServiceList = z.array(Service);

const Task = z.object({
  ServiceID: textAnswer,
  NodeID: textAnswer,
  DesiredState: textAnswer,
  Status: z.object({ State: textAnswer }),
});
export type TaskFacts = z.output<typeof Task>;
export const TaskList = z.array(Task);

const Node = z.object({ ID: z.string(), Description: z.object({ Hostname: textAnswer }) });
export type NodeFacts = z.output<typeof Node>;
export const NodeList = z.array(Node);

const Config = z.object({ ID: z.string(), Spec: z.object({ Data: optionalAnswer(z.string()) }) });
export type SwarmConfigFacts = z.output<typeof Config>;
export const ConfigList = z.array(Config);
