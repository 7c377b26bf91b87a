import { type Api, NoAnswer } from '../api.ts';
import { type Finding, fail, ok } from './finding.ts';
import { PROXY_ADVICE } from './proxy-advice.ts';

/** Checks whether the gateway is alive, and whether it can commit to its database. */
export async function checkGateway(api: Api): Promise<{ findings: Finding[]; reachable: boolean }> {
  try {
    const startMs = performance.now();
    const alive = await api.ask('GET', '/healthz');
    const tookMs = Math.ceil(performance.now() - startMs);
    if (alive.status !== 200 || Object(alive.json).status !== 'alive') {
      const todo = 'Is the address that of a Waypost gateway, and does the proxy before it pass everything on?';
      return { reachable: false, findings: [fail('gateway', `/healthz answers ${alive.status}.`, todo)] };
    }
    return { reachable: true, findings: [ok('gateway', `It answers within ${tookMs} ms.`), await checkReady(api)] };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { reachable: false, findings: [fail('gateway', error.detail, error.advice)] };
  }
}

async function checkReady(api: Api): Promise<Finding> {
  const { status, json } = await api.ask('GET', '/readyz');
  const { status: readiness, detail, reason }: Record<string, unknown> = Object(json);
  if (status === 200 && readiness === 'ready') return ok('database', 'The gateway commits to it, and takes work.');
  if (detail === undefined)
    return fail('gateway', `/readyz is answered with ${status}, and not by a gateway.`, PROXY_ADVICE);
  const why = String(detail);
  if (reason === 'stopping') return fail('gateway', why, 'Wait for the next one to start.');
  if (reason === 'starting') return fail('gateway', why, 'Wait until it takes work. If it stays so, look at its log.');
  return fail('database', why, 'Look at the database and at the log of the gateway.');
}
