#!/bin/sh
# Checks the alert rules and runs their tests, if Prometheus' own tool is installed. PROMTOOL can name another one.
set -eu
cd "$(dirname "$0")/../ops"
promtool=${PROMTOOL:-promtool}
if ! command -v "$promtool" >/dev/null; then
  echo "Skipped: promtool is not installed. It comes with Prometheus, such as Debian's package prometheus."
  exit 0
fi
"$promtool" check rules alerts.yml
"$promtool" test rules alerts.test.yml
