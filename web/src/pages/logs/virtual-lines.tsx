import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import {
  type LinePosition,
  layoutOf,
  linesBetween,
  lineTop,
  type LogBlock,
  type LogLayout,
  rowPx,
} from './line-layout.ts';
import type { LogLine } from './lines.ts';
import { LogLineRow, prefixOf, type ShownColumns } from './log-line.tsx';

type Props = {
  blocks: readonly LogBlock[];
  /** Blocks grow in place; the version tells when. */
  version: unknown;
  /** Rendered above the lines of a block, `headerPx` high. */
  header?: ((block: LogBlock) => ReactNode) | undefined;
  headerPx?: number;
  isWrapped: boolean;
  columns: Omit<ShownColumns, 'time'>;
  pattern: RegExp | undefined;
  /** Scrolled to whenever the object changes. */
  current: LinePosition | undefined;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  empty: ReactNode;
  className: string;
};

// Rendered beyond the visible rows, so that fast scrolling shows no gaps.
const spareRows = 15;
const sidePx = 24;
const timeColumns = 9;
const widthForTimePx = 560;
const nearEndPx = rowPx * 2;

/** Renders only the visible lines, so that 50,000 lines are as fast as 50. Stays at the end while following;
 * scrolling up stops that. */
export function VirtualLines(props: Props) {
  const {
    blocks,
    version,
    header,
    headerPx = 0,
    isWrapped,
    pattern,
    current,
    isFollowing,
    onFollow,
    empty,
    className,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const { width, height, characterPx } = useSize(box);
  const time = width >= widthForTimePx;
  const { service, replica } = props.columns;
  const show = useMemo(() => ({ time, service, replica }), [time, service, replica]);
  const textPx = width - sidePx - (time ? timeColumns * characterPx : 0);
  const columns = isWrapped && characterPx ? Math.max(10, Math.floor(textPx / characterPx)) : undefined;
  const prefixLength = useCallback((line: LogLine) => prefixOf(line, show).length, [show]);
  const layout = useMemo(
    () => layoutOf(blocks, { headerPx, columns, prefixOf: prefixLength }),
    [blocks, version, headerPx, columns, prefixLength],
  );
  const { scrolled, onScroll } = useScroll(box, { layout, isFollowing, onFollow });
  const top = isFollowing ? layout.height - height : scrolled;
  useCurrent(box, { layout, current, headerPx });
  const widest = isWrapped ? undefined : `calc(${layout.widest + (time ? timeColumns : 0)}ch + ${sidePx}px)`;
  return (
    <div className="relative">
      <div
        ref={box}
        // Having a screen reader announce each line would drown out everything else.
        role="log"
        aria-live="off"
        aria-label="Log lines"
        tabIndex={0}
        onScroll={onScroll}
        className={`relative overflow-auto bg-sunken font-mono text-[12px] leading-[20px] -outline-offset-2 ${className}`}
      >
        {empty}
        <ol style={{ minWidth: widest }}>
          {layout.blocks.map((place, at) => {
            const block = blocks[at]!;
            const { from, to } = linesBetween(place, top - spareRows * rowPx, top + height + spareRows * rowPx);
            return (
              <li key={place.id} style={{ height: headerPx + place.bodyHeight }}>
                {header && (
                  <div style={{ height: headerPx }} className="sticky top-0 z-10">
                    <div className="sticky left-0 h-full" style={{ width: width || undefined }}>
                      {header(block)}
                    </div>
                  </div>
                )}
                <div style={{ transform: `translateY(${lineTop(place, from)}px)` }}>
                  {block.lines.slice(from, to).map((line, index) => (
                    <LogLineRow
                      key={line.number}
                      {...{ line, show, isWrapped, pattern }}
                      isCurrent={current?.block === place.id && current.index === from + index}
                    />
                  ))}
                </div>
              </li>
            );
          })}
        </ol>
      </div>
      {!isFollowing && layout.height > height && (
        <Button size="small" className="absolute right-5 bottom-3 z-20 shadow-float" onClick={() => onFollow(true)}>
          <Icon name="down" size={15} />
          Jump to end
        </Button>
      )}
    </div>
  );
}

type Box = RefObject<HTMLDivElement | null>;
type Following = { layout: LogLayout; isFollowing: boolean; onFollow: (isFollowing: boolean) => void };

/** The scroll position in whole steps, to avoid a render for every pixel. */
function useScroll(box: Box, { layout, isFollowing, onFollow }: Following) {
  const [scrolled, setScrolled] = useState(0);
  const last = useRef(0);
  useLayoutEffect(() => {
    if (isFollowing) box.current?.scrollTo({ top: layout.height });
  }, [box, layout, isFollowing]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < nearEndPx;
    if (isAtEnd) onFollow(true);
    else if (scrollTop < last.current) onFollow(false);
    last.current = scrollTop;
    // While following, the arrival of lines triggers the render.
    if (!isAtEnd) setScrolled(Math.floor(scrollTop / stepPx) * stepPx);
  };
  return { scrolled, onScroll };
}

const stepPx = 10 * rowPx;

type Current = { layout: LogLayout; current: LinePosition | undefined; headerPx: number };

/** Scrolls a line to the middle when it is selected. */
function useCurrent(box: Box, { layout, current, headerPx }: Current): void {
  const latest = useRef(layout);
  useLayoutEffect(() => {
    latest.current = layout;
  });
  useEffect(() => {
    const found = latest.current.blocks.find(({ id }) => id === current?.block);
    if (!current || !found || !box.current) return;
    const middle = (box.current.clientHeight - headerPx) / 2;
    box.current.scrollTo({ top: Math.max(0, found.bodyTop + lineTop(found, current.index) - middle) });
  }, [box, current, headerPx]);
}

/** The size of the box, and the width of a character in it. */
function useSize(box: Box) {
  const [size, setSize] = useState({ width: 0, height: 800, characterPx: 0 });
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () =>
      setSize({ width: element.clientWidth, height: element.clientHeight, characterPx: characterWidth(element) });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}

function characterWidth(element: HTMLElement): number {
  const probe = document.createElement('span');
  probe.textContent = '0'.repeat(100);
  probe.style.cssText = 'position: absolute; visibility: hidden; white-space: pre';
  element.append(probe);
  const { width } = probe.getBoundingClientRect();
  probe.remove();
  return width / 100;
}
