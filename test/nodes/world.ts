import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/process.ts';
import { registerCallback } from '../support/register-callback.ts';
import { type SandboxProcess, startSandboxProcess } from '../support/sandbox-process.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Callers, startCallers } from './callers.ts';

export interface World {
  db: TestDatabase;
  sandbox: SandboxProcess;
  balancer: Balancer;
  nodes: GatewayProcess[];
  apiKey: string;
  /** Starts one more node, and adds it to the balancer. `root` is the folder of its code, if that is not this version's. */
  startNode(root?: string): Promise<GatewayProcess>;
  /** Starts callers that send each message to another person. */
  startCallers(wish: { callers: number; sizes: readonly number[]; pauseMs?: number; callTimeoutMs?: number }): Callers;
}

interface Wish {
  nodes: number;
  /** An existing database to use. It is dropped at the end. */
  db?: TestDatabase;
  sandbox?: Record<string, string>;
  gateway?: Record<string, string>;
  /** The folder of the code of these nodes, if that is not this version's. */
  root?: string;
}

/** Nodes on one database behind one balancer, to which the sandbox posts too. They end with the test. */
export async function startWorld(t: TestContext, wish: Wish): Promise<World> {
  const undo: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const step of undo.reverse()) await step();
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-nodes-'));
  undo.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const db = wish.db ?? (await createTestDatabase());
  undo.push(() => db.drop());
  const sandbox = await startSandboxProcess(wish.sandbox);
  undo.push(() => sandbox.stop());
  const balancer = await startBalancer();
  undo.push(() => balancer.close());
  const nodes: GatewayProcess[] = [];

  const startNode = async (root?: string) => {
    const env = { ...sandbox.settings, DATABASE_URL: db.url, WAYPOST_METRICS_PORT: '0', ...wish.gateway };
    const node = await startGatewayProcess(dataDir, env, root);
    nodes.push(node);
    undo.push(async () => {
      node.child.kill('SIGCONT');
      await node.kill();
    });
    balancer.add(node.dev.base_url);
    // A node that starts has registered its own address. The provider must know only the balancer's.
    await registerCallback(sandbox.url, sandbox.settings.WAYPOST_SANDBOX_APP_SECRET, balancer.url);
    return node;
  };
  for (let count = 0; count < wish.nodes; count += 1) await startNode(wish.root);
  const apiKey = nodes[0]?.dev.test_key ?? '';
  return {
    ...{ db, sandbox, balancer, nodes, apiKey, startNode },
    startCallers({ sizes, ...wish }) {
      const recipients = (place: number) => peopleOf(place, sizes[place % sizes.length] ?? 1);
      const callers = startCallers({ url: balancer.url, apiKey, ...wish, recipients });
      undo.push(async () => callers.halt());
      return callers;
    },
  };
}

/** Numbers that nobody else uses, and that the sandbox simply accepts. */
function peopleOf(place: number, count: number): string[] {
  return Array.from({ length: count }, (_, one) => `+15553${String(place * 100 + one).padStart(8, '0')}`);
}
