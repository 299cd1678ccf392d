// Schemas of the engine's responses. Engines differ and are not trusted: a missing field counts as empty, a field of
// the wrong type is an error.
import { z } from '../../../../lib/zod/index.ts';
import { ContainerConfig } from './container-answer.ts';
import { textAnswer, flagAnswer, textsAnswer, pairsAnswer, optionalAnswer, listAnswer } from './fields.ts';

export {
  type ConfigFacts,
  ContainerAnswer,
  type ContainerFacts,
  type SwarmFacts,
  type SwarmFile,
} from './container-answer.ts';

/** An image in the engine's list. */
const ImageSummary = z.object({ Id: z.string(), RepoTags: textsAnswer, RepoDigests: textsAnswer, Labels: pairsAnswer });
export type ImageFacts = z.output<typeof ImageSummary>;
export const ImageList = z.array(ImageSummary);

/** Run settings of an image. */
export const SurveyedImage = z.object({ Id: z.string(), Config: optionalAnswer(ContainerConfig) });

const Volume = z.object({ Name: z.string(), Driver: textAnswer, Labels: pairsAnswer, Options: pairsAnswer });
export type VolumeFacts = z.output<typeof Volume>;
export const VolumeList = z.object({ Volumes: listAnswer(Volume) });

const Network = z.object({
  Id: z.string(),
  Name: z.string(),
  Driver: textAnswer,
  Internal: flagAnswer,
  Attachable: flagAnswer,
  Labels: pairsAnswer,
});
export type NetworkFacts = z.output<typeof Network>;
export const NetworkList = z.array(Network);

/** Null if nothing has changed. */
export const ChangeList = z.array(z.object({ Path: z.string(), Kind: z.number() })).nullable();

export const ContainerList = z.array(z.object({ Id: z.string().min(12).max(128), State: textAnswer }));

export const EngineInfoAnswer = z.object({
  ServerVersion: z.string().min(1),
  OSType: textAnswer,
  OperatingSystem: textAnswer,
  Architecture: textAnswer,
  CgroupVersion: textAnswer,
  SecurityOptions: textsAnswer,
  DockerRootDir: textAnswer,
  Swarm: z.object({ LocalNodeState: textAnswer, NodeID: textAnswer, ControlAvailable: flagAnswer }).nullish(),
});
