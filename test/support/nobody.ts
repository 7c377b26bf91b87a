/** The user for a program that refuses to run as root, as options of `spawn`; empty if we are not root. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
