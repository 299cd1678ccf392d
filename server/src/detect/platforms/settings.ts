import type { DetectFinding, SourceTree } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { isRecord, type Json } from '../records.ts';

/** Settings for another platform that a file of the source contains. */
export interface PlatformSettings {
  file: string;
  /** Folder of the app, if it is not the folder of the file. */
  rootDirectory?: string | undefined;
  /** Commands, one after the other; `...` stands for the detected ones. */
  install?: string[];
  build?: string[];
  start?: string | null;
  release?: string | null;
  /** Another process, such as a worker; used if nothing else can be started. */
  other?: string | null;
  /** Folder of a static site. */
  outputDirectory?: string | null;
  fallback?: string | null;
  dockerfile?: string | null;
  port?: number | null;
  healthPath?: string | null;
  /** Versions by language: `{ javascript: '20' }`. */
  versions?: Record<string, string>;
  /** Debian packages that bring a language to apps in another one. */
  foreign?: { language: string; package: string }[];
  /** Debian packages for the build and the app. */
  packages?: string[];
  /** Null: must be set by hand. */
  variables?: Map<string, string | null>;
  /** Names of variables with a generated value, which are null above. */
  generated?: string[];
  volumes?: { name: string; path: string }[];
  /** Names of settings without a counterpart. */
  ignored?: string[];
  /** Sentences about anything else. */
  notes?: string[];
}

/** Reads one kind of file. */
export type ReadPlatformFile = (tree: SourceTree, file: string) => Promise<Omit<PlatformSettings, 'file'>>;

/** Text of a scalar: YAML has numbers and booleans where text is meant. */
export const scalarText = (value: unknown): string | null => {
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : '';
  return text.trim() || null;
};

/** Returns a command of a single line. */
export const commandText = (value: unknown): string | null => {
  const text = Array.isArray(value) ? value.map(scalarText).filter(Boolean).join(' ') : scalarText(value);
  // Folded text in YAML and a shell's line continuation are one line.
  const line = text?.replaceAll(/\\\r?\n\s*/g, ' ').trim();
  return line && line.length <= 1000 && !/[\n\r\0]/.test(line) ? line : null;
};

/** Returns commands of a list, or of a text with one command per line. */
export const commandTexts = (value: unknown): string[] => {
  const items: unknown[] = Array.isArray(value) ? value : (scalarText(value)?.split(/\r?\n/) ?? []);
  return items.map(commandText).filter((each) => each !== null);
};

export const recordList = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Names of the settings of a record that are not read, without those that only describe the app. */
export const unreadSettings = (json: Json, known: readonly string[], prefix = ''): string[] =>
  Object.keys(json)
    .filter((key) => !known.includes(key) && key !== '$schema')
    .map((key) => prefix + key);

export const portNumber = (value: unknown): number | null => {
  const port = Number(scalarText(value) ?? 0);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
};

/** Returns the path of a health check, without the address of a server. */
export const healthPath = (value: unknown): string | null => {
  const path = scalarText(value);
  return path && /^\/[\w./~%?=&+-]{0,199}$/.test(path) ? path : null;
};

export const folderPath = (value: unknown): string | undefined => plainPath(scalarText(value)?.replace(/^\.?\//, ''));

/** Variables with values; others than scalars must be set by hand. */
export const variablesIn = (json: Json): Map<string, string | null> =>
  new Map(Object.entries(json).map(([key, value]) => [key, value === '' ? '' : scalarText(value)]));

/** Returns the value of the first file that has one. */
export function valueOf<
  K extends 'start' | 'other' | 'release' | 'outputDirectory' | 'fallback' | 'port' | 'healthPath',
>(
  settings: readonly PlatformSettings[],
  key: K,
): { file: string; value: NonNullable<PlatformSettings[K]> } | undefined {
  const first = settings.find((each) => each[key] !== undefined && each[key] !== null);
  return first && { file: first.file, value: first[key]! };
}

export const isLanguage = (own: string, named: string): boolean =>
  own === named || (families[named] ?? []).includes(own);

const families: Record<string, string[]> = {
  javascript: ['typescript'],
  java: ['kotlin', 'scala', 'clojure'],
  csharp: ['fsharp', 'vb'],
};

/** Whether the image of the app has the tools of a language. */
export const hasLanguage = ({ language, otherLanguages = [] }: DetectFinding, named: string): boolean =>
  isLanguage(language ?? '', named) || otherLanguages.includes(named);
