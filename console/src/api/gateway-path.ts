/** Where something of this gateway is for a browser: a proxy may have put all of it, this page too, below a path. */
export function gatewayPath(path: string): string {
  return location.pathname.replace(/\/console\/?$/, '') + path;
}
