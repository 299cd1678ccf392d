// Schemas of the engine's responses. Engines differ and are not trusted: a missing field counts as empty, a field of
// the wrong type is an error.
import { z } from 'zod';
import { ContainerConfig } from './container-answer.ts';
import { text, flag, texts, pairs, optional, listField } from './fields.ts';

export {
  type ConfigFacts,
  Container,
  type ContainerFacts,
  type SwarmFacts,
  type SwarmFile,
} from './container-answer.ts';

/** An image in the engine's list. */
const ImageSummary = z.object({ Id: z.string(), RepoTags: texts, RepoDigests: texts, Labels: pairs });
export type ImageFacts = z.output<typeof ImageSummary>;
export const ImageList = z.array(ImageSummary);

/** Run settings of an image. */
export const SurveyedImage = z.object({ Id: z.string(), Config: optional(ContainerConfig) });

const Volume = z.object({ Name: z.string(), Driver: text, Labels: pairs, Options: pairs });
export type VolumeFacts = z.output<typeof Volume>;
export const VolumeList = z.object({ Volumes: listField(Volume) });

const Network = z.object({
  Id: z.string(),
  Name: z.string(),
  Driver: text,
  Internal: flag,
  Attachable: flag,
  Labels: pairs,
});
export type NetworkFacts = z.output<typeof Network>;
export const Networks = z.array(Network);

/** Null if nothing has changed. */
export const ChangeList = z.array(z.object({ Path: z.string(), Kind: z.number() })).nullable();

export const ContainerList = z.array(z.object({ Id: z.string().min(12).max(128), State: text }));

export const Info = z.object({
  ServerVersion: z.string().min(1),
  OSType: text,
  OperatingSystem: text,
  Architecture: text,
  CgroupVersion: text,
  SecurityOptions: texts,
  DockerRootDir: text,
  Swarm: z.object({ LocalNodeState: text, NodeID: text, ControlAvailable: flag }).nullish(),
});
