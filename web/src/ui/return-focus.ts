import { useState } from 'react';

// A dialog may open another; focus returns to the element that opened the first.
let last: Element | null = null;

function findOpener(): Element | null {
  if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return last;
  const active = document.activeElement;
  // A menu is gone when the dialog closes, so its button gets the focus.
  const menu = active?.closest('[role="menu"]');
  last = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
  return last;
}

/** Returns the focus to where it was before a dialog, or to the page's content. */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(findOpener);
  return (event) => {
    event.preventDefault();
    const target = opener?.isConnected && opener !== document.body ? opener : document.getElementById('main');
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
}
