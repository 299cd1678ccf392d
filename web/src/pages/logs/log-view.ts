import { useDeferredValue, useMemo, useState } from 'react';
import { type LinePosition, type LogBlock, matchesIn, searchPattern } from './line-layout.ts';

type Options = {
  blocks: readonly LogBlock[];
  version: unknown;
  /** Whether the view opens at the end. */
  startsAtEnd: boolean;
  onUnfold?: ((block: string) => void) | undefined;
};

/** The state of a log view: search, jumps, following, wrapping. */
export function useLogView({ blocks, version, startsAtEnd, onUnfold }: Options) {
  const [words, setWords] = useState('');
  const searched = useDeferredValue(words);
  const [current, setCurrent] = useState<LinePosition>();
  const [isFollowing, setIsFollowing] = useState(startsAtEnd);
  const [isWrapped, setIsWrapped] = useState(true);
  const pattern = useMemo(() => searchPattern(searched), [searched]);
  const matches = useMemo(() => matchesIn(blocks, pattern), [blocks, version, pattern]);
  const at = matches.findIndex(({ block, index }) => block === current?.block && index === current.index);
  const goTo = (place: LinePosition | undefined) => {
    if (!place) return;
    setIsFollowing(false);
    onUnfold?.(place.block);
    setCurrent({ ...place });
  };
  /** Selects the next or previous match and wraps around. Fast typing can outrun the matches on screen. */
  const step = (by: 1 | -1) => {
    const found = words === searched ? matches : matchesIn(blocks, searchPattern(words));
    goTo(found.at((at < 0 && by < 0 ? 0 : at) + by) ?? found[0]);
  };
  return {
    words,
    setWords,
    pattern,
    matches,
    current,
    goTo,
    isFollowing,
    setIsFollowing,
    isWrapped,
    setIsWrapped,
    /** Index of the selected match; -1 before the first jump. */
    at,
    step,
  };
}

export type LogView = ReturnType<typeof useLogView>;
