import { useEffect, useState } from 'react';

/** How many have gone by since it was shown. */
export function useSeconds(): number {
  const [began] = useState(Date.now);
  const [now, setNow] = useState(began);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.floor((now - began) / 1000);
}
