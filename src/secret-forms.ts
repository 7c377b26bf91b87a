/** Whether a secret has the form of a platform key, in a setting or in `secrets.json`. */
export function isPlatformKey(secret: string): boolean {
  return /^wp_root_[A-Za-z0-9]{32,}$/.test(secret);
}

/**
 * Whether a secret has the form of a master key, in a setting or in `secrets.json`: 32 bytes in base64. The decoder alone
 * leaves out what it does not know and all that follows a `=`, so that a mistake would pass for a key.
 */
export function isMasterKey(secret: string): boolean {
  return /^[A-Za-z0-9+/]{43}=?$/.test(secret);
}

/**
 * Whether a secret is the address of a proxy. What stands behind the host would go nowhere, and a `%` that stands for itself would be
 * found when the first connection is made.
 */
export function isProxyUrl(secret: string): boolean {
  const url = URL.parse(secret);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname + url.search + url.hash !== '/') return false;
  try {
    return decodeURIComponent(`${url.username}:${url.password}`) !== undefined;
  } catch {
    return false;
  }
}
