import { useEffect, useState } from 'react';

const shownMs = 2500;

/** The clipboard API requires https or localhost; an instance in a home network may have neither. */
async function copyFrom(element: HTMLElement): Promise<void> {
  const isInput = element instanceof HTMLInputElement;
  const text = isInput ? element.value : (element.textContent ?? '');
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  if (isInput) element.select();
  else window.getSelection()?.selectAllChildren(element);
  document.execCommand('copy');
}

/** Whether something was just copied, and the function that copies. */
export function useCopied(): [isCopied: boolean, copy: (element: HTMLElement) => Promise<void>] {
  const [copies, setCopies] = useState(0);
  useEffect(() => {
    if (!copies) return undefined;
    const timer = setTimeout(() => setCopies(0), shownMs);
    return () => clearTimeout(timer);
  }, [copies]);
  const copy = async (element: HTMLElement) => {
    await copyFrom(element);
    setCopies((before) => before + 1);
  };
  return [copies > 0, copy];
}
