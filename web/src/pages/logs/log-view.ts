import { useDeferredValue, useMemo, useState } from 'react';
import { type LinePlace, type LogBlock, matchesIn, searchPattern } from './line-layout.ts';

type Options = {
  blocks: readonly LogBlock[];
  version: unknown;
  /** Whether it is at its end when it is opened. */
  startsAtEnd: boolean;
  onUnfold?: ((block: string) => void) | undefined;
};

/** How somebody looks at a log: search, jumps, following, wrapping. */
export function useLogView({ blocks, version, startsAtEnd, onUnfold }: Options) {
  const [words, setWords] = useState('');
  const searched = useDeferredValue(words);
  const [current, setCurrent] = useState<LinePlace>();
  const [isFollowing, setIsFollowing] = useState(startsAtEnd);
  const [isWrapped, setIsWrapped] = useState(true);
  const pattern = useMemo(() => searchPattern(searched), [searched]);
  const matches = useMemo(() => matchesIn(blocks, pattern), [blocks, version, pattern]);
  const at = matches.findIndex(({ block, index }) => block === current?.block && index === current.index);
  const goTo = (place: LinePlace | undefined) => {
    if (!place) return;
    setIsFollowing(false);
    onUnfold?.(place.block);
    setCurrent({ ...place });
  };
  /** To the next match, or the one before; around at the ends. Somebody who types quickly is ahead of the matches on screen. */
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
    /** Which match is shown, from 0 on; -1 before the first jump. */
    at,
    step,
  };
}

export type LogView = ReturnType<typeof useLogView>;
