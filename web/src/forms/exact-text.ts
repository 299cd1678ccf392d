/** For names, addresses and keys, which the browser must not complete, capitalize or correct. */
export const exactText = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
