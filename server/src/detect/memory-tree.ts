import type { SourceTree } from './detect.ts';

/** Returns a tree in memory from paths and texts. */
export const memoryTree = (content: Record<string, string>): SourceTree => ({
  list: async (folder) => {
    const prefix = folder && `${folder}/`;
    const inside = Object.keys(content).filter((path) => path.startsWith(prefix));
    return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*$/s, '/')))];
  },
  read: async (path) => (Object.hasOwn(content, path) ? content[path] : undefined),
});
