#!/usr/bin/env bash
# Installs Chromium for the console's tests from the system's own packages, if it is missing: without windows where there is such a package,
# because that takes a quarter less processor time for these tests and brings no desktop. CHROMIUM_PATH can name another browser; then nothing
# is installed.
set -euo pipefail

if [[ -n "${CHROMIUM_PATH:-}" ]]; then
  [[ -x "$CHROMIUM_PATH" ]] || { echo "CHROMIUM_PATH names no program: $CHROMIUM_PATH" >&2; exit 1; }
  echo "Using the browser of CHROMIUM_PATH: $CHROMIUM_PATH"
  exit 0
fi
for place in /usr/bin/chromium-headless-shell /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
  if [[ -x "$place" ]]; then
    echo "There is a browser already: $place"
    exit 0
  fi
done

if ! command -v apt-get > /dev/null; then
  echo 'There is no apt-get here. Install Chromium, and set CHROMIUM_PATH if it is not in /usr/bin.' >&2
  exit 1
fi
as_root=()
if [[ "$(id -u)" != 0 ]]; then
  command -v sudo > /dev/null || { echo 'This needs root or sudo, to install Chromium with apt-get.' >&2; exit 1; }
  as_root=(sudo)
fi
echo 'Installing Chromium with apt-get, from the sources that this system is set up with.'
"${as_root[@]}" apt-get update -q
package=chromium-headless-shell
apt-cache show "$package" > /dev/null 2>&1 || package=chromium
"${as_root[@]}" apt-get install -q -y --no-install-recommends "$package"
