import type { Project } from '../../api.ts';

type Source = Project['source']['type'];

const reasons: Partial<Record<Source, string>> = {
  upload: 'it is deployed from uploaded folders, which the cloud cannot fetch',
  local: 'its source is a folder on this machine, which the cloud cannot fetch',
  services: 'it is a list of services and has no source to build there',
};

/** Whether a cloud can fetch the source itself. */
export const isPortable = ({ source: { type } }: Project): boolean => type === 'git' || type === 'githost';

/** Why a project cannot move, and how to change that. */
export const whyNotPortable = ({ source: { type } }: Project): string =>
  `It cannot go to the cloud: ${reasons[type] ?? 'it has no git source'}. Give the project a git source first.`;
