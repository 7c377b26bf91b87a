import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startEventServer } from '../../test/events/event-server.ts';
import { undisturbed } from '../../test/support/undisturbed.ts';

const STALLED_MS = 1_500;
/** Much more than all the buffers between the two can hold, so that its end is long under way. */
const TEXT = 'ä'.repeat(20 << 20);
/** With pauses like this it takes longer than the time that a reader has. */
const PAUSE_MS = 5;

it('a reader on a slow line, who needs longer for a large event than one may take nothing, gets all of it', () =>
  undisturbed(async () => {
    const server = await startEventServer({ heartbeatMs: 100, stalledMs: STALLED_MS });
    try {
      await server.record(1, { text: TEXT });
      const begunMs = performance.now();
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { agent: false, headers: { authorization: `Bearer ${server.key}` } };
        get(`${server.url}/api/v1/events/stream?after=0`, options, resolve).on('error', reject);
      });
      const parts: Buffer[] = [];
      let bytes = 0;
      // It throws where the stream breaks off.
      for await (const part of answer) {
        parts.push(part);
        bytes += part.length;
        if (bytes > 2 * TEXT.length && part.subarray(-2).toString() === '\n\n') break;
        await wait(PAUSE_MS);
      }
      assert.ok(performance.now() - begunMs > STALLED_MS);
      assert.ok(Buffer.concat(parts).toString().includes(TEXT));
    } finally {
      await server.stop();
    }
  }));
