import { hash } from 'bcryptjs';

/** The password is 256 random bits, which no number of rounds makes safer. */
const rounds = 5;

/** Returns a line of an htpasswd file. */
export const htpasswdLine = async (username: string, password: string): Promise<string> =>
  `${username}:${await hash(password, rounds)}\n`;
