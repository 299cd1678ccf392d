/** Control characters and lone surrogates are not allowed in names, paths and commands. */
export const hasControl = (text: string): boolean => /[\p{Cc}\p{Cs}]/u.test(text);
