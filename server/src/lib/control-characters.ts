/** Control characters and halves of characters: in no name, path or command of ours. */
export const hasControl = (text: string): boolean => /[\p{Cc}\p{Cs}]/u.test(text);
