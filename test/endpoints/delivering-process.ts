import { pino } from 'pino';
import { startPoster } from '../../src/endpoints/call/start-poster.ts';
import { createAttempts } from '../../src/endpoints/deliver/attempt.ts';
import { startDeliveries } from '../../src/endpoints/deliver/deliver.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { createSealer } from '../../src/kernel/sealed.ts';
import { openDatabase } from '../../src/store/database.ts';

/** A process that does nothing but deliver, to be killed by a test. */
const { DATABASE_URL: url = '', MASTER_KEY: masterKey = '' } = process.env;
const log = pino({ level: 'silent' });
const database = openDatabase({ connection: { url }, connections: 4, onError: () => undefined });
const sealer = createSealer(Buffer.from(masterKey, 'base64'));
const attempts = createAttempts({ poster: startPoster(), sealer, clock, localEndpoints: true });
startDeliveries({ database, nodeId: newId(), attempts, clock, docsUrl: () => 'https://gateway.test/docs', log });
console.log('ready');
