import { describe, expect, it } from 'vitest';
import { boundedTree } from './bounded-tree.ts';
import type { SourceTree } from './detect.ts';
import { memoryTree } from './memory-tree.ts';

/** Counts the accesses to a tree. */
function counted(tree: SourceTree) {
  const asked: string[] = [];
  const counting: SourceTree = {
    list: (folder) => (asked.push(`list ${folder}`), tree.list(folder)),
    read: (path) => (asked.push(`read ${path}`), tree.read(path)),
  };
  return { asked, tree: boundedTree(counting) };
}

describe('bounded tree', () => {
  it('reads everything once, and nothing that a folder list shows as absent', async () => {
    const { asked, tree } = counted(memoryTree({ 'a.txt': 'A', 'inner/b.txt': 'B' }));
    for (let i = 0; i < 3; i++) {
      expect(await tree.read('a.txt')).toBe('A');
      expect(await tree.read('inner/b.txt')).toBe('B');
      expect(await tree.read('none.txt')).toBeUndefined();
      expect(await tree.read('none/deep/c.txt')).toBeUndefined();
      expect(await tree.list('none/deep')).toEqual([]);
      expect(await tree.list('')).toEqual(['a.txt', 'inner/']);
    }
    expect(asked.toSorted()).toEqual(['list ', 'list inner', 'read a.txt', 'read inner/b.txt']);
  });

  it('stops after a limit of files and bytes', async () => {
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`f${i}`, 'x']));
    const few = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, 'x'.repeat(1024 * 1024)]));
    for (const [content, atMost] of [[many, 1000] as const, [few, 30] as const]) {
      const { asked, tree } = counted(memoryTree(content));
      for (const name of Object.keys(content)) await tree.read(name);
      expect(asked.filter((what) => what.startsWith('read')).length).toBeLessThanOrEqual(atMost);
    }
  });

  it('reads from a folder whose list may be incomplete', async () => {
    const names = Array.from({ length: 4000 }, (_, i) => `${i}.txt`);
    const tree = boundedTree({
      list: async () => names,
      read: async (path) => (path === 'package.json' ? '{}' : undefined),
    });
    expect(await tree.read('package.json')).toBe('{}');
  });
});
