/** The path for a browser of something in this gateway. A proxy may have put the whole gateway, and so this page too, below a path. */
export function gatewayPath(path: string): string {
  return location.pathname.replace(/\/console\/?$/, '') + path;
}
