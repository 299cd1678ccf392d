// What a survey reads of an engine's answers. Engines differ and may be anybody's: what is left out is as good as empty, what
// has another type than it should is no answer of an engine.
import { z } from 'zod';
import { ContainerConfig } from './container-answer.ts';
import { text, flag, texts, pairs, optional, list } from './fields.ts';

export { type ConfigFacts, Container, type ContainerFacts } from './container-answer.ts';

/** An image as it stands in the list of them. */
const ImageSummary = z.object({ Id: z.string(), RepoTags: texts, RepoDigests: texts, Labels: pairs });
export type ImageFacts = z.output<typeof ImageSummary>;
export const ImageList = z.array(ImageSummary);

/** What an image says of how it is run. */
export const SurveyedImage = z.object({ Id: z.string(), Config: optional(ContainerConfig) });

const Volume = z.object({ Name: z.string(), Driver: text, Labels: pairs, Options: pairs });
export type VolumeFacts = z.output<typeof Volume>;
export const VolumeList = z.object({ Volumes: list(Volume) });

const Network = z.object({
  Id: z.string(),
  Name: z.string(),
  Driver: text,
  Internal: flag,
  Labels: pairs,
});
export type NetworkFacts = z.output<typeof Network>;
export const Networks = z.array(Network);

export const ContainerList = z.array(z.object({ Id: z.string().min(12).max(128), State: text }));

export const Info = z.object({
  ServerVersion: z.string().min(1),
  OSType: text,
  OperatingSystem: text,
  Architecture: text,
  CgroupVersion: text,
  SecurityOptions: texts,
  Swarm: z.object({ LocalNodeState: text }).nullish(),
});
