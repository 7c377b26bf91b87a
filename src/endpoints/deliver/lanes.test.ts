import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LiveDelivery } from './claim-store.ts';
import { Lanes } from './lanes.ts';

const GOOD = { succeeded: true, durationMs: 10 };
const SLOW = { succeeded: true, durationMs: 14_000 };
const BAD = { succeeded: false, durationMs: 15_000 };

describe('lanes', () => {
  it('give every endpoint one place, whatever the others hold', () => {
    const lanes = new Lanes();
    lanes.add(
      Array.from({ length: 300 }, (_, place) => deliveryOf('account', `endpoint-${place % 100}`)),
      0,
    );
    assert.equal(beginAll(lanes).length, 100);
  });

  it('give an endpoint up to ten once it has succeeded', () => {
    const lanes = new Lanes();
    proveAll(lanes, ['endpoint']);
    lanes.add(deliveries('account', 'endpoint', 30), 0);
    assert.equal(beginAll(lanes).length, 10);
  });

  it('give an account no more than 50 beside the one of each endpoint', () => {
    const lanes = new Lanes();
    const names = Array.from({ length: 20 }, (_, place) => `endpoint-${place}`);
    proveAll(lanes, names);
    for (const name of names) lanes.add(deliveries('account', name, 20), 0);
    assert.equal(beginAll(lanes).length, 20 + 50);
    lanes.add(deliveries('another', 'newcomer', 5), 0);
    assert.equal(beginAll(lanes).length, 1);
  });

  it('begin no more than ten of an endpoint, whatever is claimed beside them', () => {
    const lanes = new Lanes();
    proveAll(lanes, ['endpoint']);
    lanes.add(deliveries('account', 'endpoint', 10), 0);
    const [first] = beginAll(lanes);
    lanes.add(deliveries('account', 'endpoint', 5), 0);
    assert.equal(beginAll(lanes).length, 0);
    assert.ok(first);
    lanes.end(first, GOOD, 0);
    assert.equal(beginAll(lanes).length, 1);
  });

  it('begin no more than 2,000 endpoints at once, and claim none of others then', () => {
    const lanes = new Lanes();
    const each = Array.from({ length: 2_005 }, (_, place) => deliveryOf(`account-${place}`, `endpoint-${place}`));
    lanes.add(each, 0);
    const [first, ...others] = beginAll(lanes);
    assert.equal(1 + others.length, 2_000);
    assert.equal(lanes.claimRooms().roomOfOthers, 0);
    assert.ok(first);
    lanes.end(first, GOOD, 0);
    assert.equal(lanes.claimRooms().roomOfOthers, 1);
    assert.equal(beginAll(lanes).length, 1);
  });

  for (const [what, outcome] of [
    ['fail', BAD],
    ['answer late', SLOW],
  ] as const)
    it(`leave an eighth of 2,000 to others, where endpoints ${what}`, () => {
      const lanes = new Lanes();
      const good = ['good-1', 'good-2'];
      proveAll(lanes, good);
      const each = Array.from({ length: 2_000 }, (_, place) => deliveryOf(`account-${place}`, `endpoint-${place}`));
      lanes.add(each, 0);
      for (const delivery of beginAll(lanes)) lanes.end(delivery, outcome, 0);
      lanes.add(each, 0);
      assert.equal(beginAll(lanes).length, 1_750);
      lanes.add([...good.map((name) => deliveryOf('account', name)), deliveryOf('account', 'new')], 0);
      assert.deepEqual(
        beginAll(lanes).map(({ endpoint_id: id }) => id),
        [...good, 'new'],
      );
    });

  it('leave an eighth to others also where endpoints are claimed as failing, and claim none of those then', () => {
    const lanes = new Lanes();
    const failing = Array.from({ length: 1_755 }, (_, place) => {
      return { ...deliveryOf(`account-${place}`, `endpoint-${place}`), endpoint_failing: true };
    });
    lanes.add(failing.slice(1), 0);
    const [first] = beginAll(lanes);
    const roomsOfNew = () => {
      const { roomOfOthers, roomOfFailing } = lanes.claimRooms();
      return { roomOfOthers, roomOfFailing };
    };
    assert.deepEqual(roomsOfNew(), { roomOfOthers: 1, roomOfFailing: 0 });
    lanes.add([...failing.slice(0, 1), deliveryOf('account', 'new')], 0);
    assert.deepEqual(
      beginAll(lanes).map(({ endpoint_id: id }) => id),
      ['new'],
    );
    assert.ok(first);
    for (const delivery of [first, deliveryOf('account', 'new')]) lanes.end(delivery, BAD, 0);
    assert.deepEqual(roomsOfNew(), { roomOfOthers: 1, roomOfFailing: 1 });
  });

  it('leave an eighth of the places beside the own ones to others, where endpoints answer late', () => {
    const lanes = new Lanes();
    const slow = Array.from({ length: 8 }, (_, place) => `slow-${place}`);
    proveAll(lanes, slow, SLOW.durationMs);
    proveAll(lanes, ['good']);
    for (const name of slow) lanes.add(deliveries('account', name, 10), 0);
    assert.equal(beginAll(lanes).length, 8 + 44);
    lanes.add(deliveries('account', 'good', 10), 0);
    assert.equal(beginAll(lanes).length, 1 + 6);
  });

  it('give all accounts together no more than 500 places beside the own ones', () => {
    const lanes = new Lanes();
    for (let account = 0; account < 11; account++) {
      const names = Array.from({ length: 6 }, (_, place) => `endpoint-${account}-${place}`);
      const of = names.map((name) => deliveryOf(`account-${account}`, name));
      lanes.add(of, 0);
      for (const delivery of beginAll(lanes)) lanes.end(delivery, GOOD, 0);
    }
    for (let account = 0; account < 11; account++)
      for (let place = 0; place < 6; place++)
        lanes.add(deliveries(`account-${account}`, `endpoint-${account}-${place}`, 20), 0);
    const begun = beginAll(lanes);
    assert.equal(begun.length, 66 + 500);
    for (const delivery of begun.slice(-3)) lanes.end(delivery, GOOD, 0);
    assert.equal(beginAll(lanes).length, 3);
  });

  it('give the places beside the own ones in turn', () => {
    const lanes = new Lanes();
    const names = Array.from({ length: 10 }, (_, place) => `endpoint-${place}`);
    proveAll(lanes, names);
    for (const name of names) lanes.add(deliveries('account', name, 20), 0);
    const each = Map.groupBy(beginAll(lanes), ({ endpoint_id: id }) => id);
    assert.deepEqual(
      names.map((name) => each.get(name)?.length),
      names.map(() => 6),
    );
  });

  it('take an endpoint back to one place when it fails, and give back what it had waiting', () => {
    const lanes = new Lanes();
    proveAll(lanes, ['endpoint']);
    lanes.add(deliveries('account', 'endpoint', 15), 0);
    const begun = beginAll(lanes);
    const [first] = begun;
    assert.ok(first);
    assert.equal(lanes.end(first, BAD, 0).length, 5);
    assert.equal(roomOf(lanes), 0);
    for (const delivery of begun.slice(1)) lanes.end(delivery, BAD, 0);
    assert.equal(roomOf(lanes), 1);
  });

  it('ask for more only where a claim has taken all that it might', () => {
    const lanes = new Lanes();
    proveLong(lanes, ['endpoint']);
    const delivery = deliveryOf('account', 'endpoint');
    assert.ok(lanes.wantsMore(delivery));
    const room = roomOf(lanes) ?? 0;
    assert.equal(room, 400);
    lanes.add(deliveries('account', 'endpoint', room - 1), 0);
    for (const begun of beginAll(lanes)) lanes.end(begun, GOOD, 0);
    assert.ok(!lanes.wantsMore(delivery));
  });

  it('take no more of an endpoint than it answers in a few seconds', () => {
    for (const [durationMs, room] of [
      [50, 400],
      [200, 200],
      [1_000, 40],
      [14_000, 10],
    ] as const) {
      const lanes = new Lanes();
      proveLong(lanes, ['endpoint'], durationMs);
      assert.equal(roomOf(lanes), room, `${durationMs} ms`);
    }
  });

  it('hold no more of an endpoint than has succeeded in a row, so that little is given back when one fails', () => {
    const lanes = new Lanes();
    const rooms: (number | undefined)[] = [];
    const succeed = (times: number) => {
      for (let done = 0; done < times; done++) proveAll(lanes, ['endpoint']);
      rooms.push(roomOf(lanes));
    };
    succeed(1);
    succeed(49);
    succeed(350);
    lanes.add([deliveryOf('account', 'endpoint')], 0);
    for (const delivery of beginAll(lanes)) lanes.end(delivery, BAD, 0);
    rooms.push(roomOf(lanes));
    succeed(1);
    assert.deepEqual(rooms, [10, 50, 400, 1, 10]);
  });

  it('take the next of an endpoint when half of what was held is used up, counting what is in flight', () => {
    const lanes = new Lanes();
    proveLong(lanes, ['endpoint']);
    lanes.add(deliveries('account', 'endpoint', 400), 0);
    const endTen = () => {
      for (const delivery of beginAll(lanes)) lanes.end(delivery, GOOD, 0);
    };
    for (let tens = 0; tens < 19; tens++) endTen();
    const last = beginAll(lanes);
    assert.equal(roomOf(lanes), 0, '200 wait, and 10 are in flight');
    for (const delivery of last) lanes.end(delivery, GOOD, 0);
    assert.equal(roomOf(lanes), 200);
    const slow = new Lanes();
    proveLong(slow, ['endpoint'], 14_000);
    slow.add(deliveries('account', 'endpoint', 4), 0);
    assert.equal(beginAll(slow).length, 4);
    slow.add(deliveries('account', 'endpoint', 3), 0);
    assert.equal(roomOf(slow), 3, 'three wait, and four are in flight');
  });

  it('let go of what waits for one endpoint, and of nothing else', () => {
    const lanes = new Lanes();
    lanes.add(deliveries('account', 'changed', 3), 0);
    lanes.add(deliveries('account', 'other', 3), 0);
    assert.equal(lanes.letGo('changed').length, 3);
    assert.deepEqual(lanes.letGo('unheard-of'), []);
    assert.deepEqual(
      beginAll(lanes).map(({ endpoint_id: id }) => id),
      ['other'],
    );
  });

  it('take less of each when much is held already', () => {
    const lanes = new Lanes();
    const names = Array.from({ length: 12 }, (_, place) => `endpoint-${place}`);
    proveLong(lanes, names);
    for (const name of names.slice(1)) lanes.add(deliveries('account', name, 200), 0);
    const { rooms } = lanes.claimRooms();
    assert.equal(rooms.find(({ endpointId }) => endpointId === 'endpoint-0')?.room, 10);
    for (const delivery of lanes.clear().slice(0, 1)) assert.equal(delivery.endpoint_id, 'endpoint-1');
    assert.equal(roomOf(lanes), 400);
  });

  it('free every place that was taken', () => {
    const lanes = new Lanes();
    for (let round = 0; round < 250; round += 1) {
      lanes.add(deliveries('account', 'endpoint', 30), 0);
      for (const delivery of beginAll(lanes)) lanes.end(delivery, GOOD, 0);
      lanes.clear();
    }
    assert.equal(roomOf(lanes), 400, 'what has begun waits no more');
    lanes.add(deliveries('account', 'endpoint', 30), 0);
    assert.equal(beginAll(lanes).length, 10);
  });

  it('do not begin what was claimed too long ago', () => {
    const lanes = new Lanes();
    lanes.add(deliveries('account', 'endpoint', 1), 1_000);
    assert.equal(lanes.begin(1_001), undefined);
    assert.equal(lanes.begin(0), undefined);
  });

  it('forget endpoints that nothing is known of', () => {
    const lanes = new Lanes();
    proveAll(lanes, ['good']);
    lanes.add(deliveries('account', 'bad', 1), 0);
    for (const delivery of beginAll(lanes)) lanes.end(delivery, BAD, 0);
    lanes.prune(1_000);
    assert.deepEqual(
      lanes.claimRooms().rooms.map(({ endpointId }) => endpointId),
      ['good'],
    );
    lanes.prune(10_000_000);
    assert.deepEqual(lanes.claimRooms().rooms, []);
  });

  it('remember an endpoint for ten minutes from its last success', () => {
    const lanes = new Lanes();
    lanes.add(deliveries('account', 'good', 1), 0);
    for (const delivery of beginAll(lanes)) lanes.end(delivery, GOOD, 5_000_000);
    lanes.prune(5_599_999);
    assert.equal(roomOf(lanes), 10);
    lanes.prune(5_600_000);
    assert.equal(roomOf(lanes), undefined);
  });

  it('forget no endpoint of which something waits or is under way', () => {
    const lanes = new Lanes();
    lanes.add(deliveries('account', 'waiting', 1), 0);
    lanes.prune(10_000_000);
    assert.equal(lanes.letGo('waiting').length, 1);
    lanes.add(deliveries('account', 'dead', 1), 0);
    assert.equal(beginAll(lanes).length, 1);
    lanes.prune(10_000_000);
    lanes.add(deliveries('account', 'dead', 1), 0);
    assert.equal(beginAll(lanes).length, 0, 'its one place is taken');
  });
});

function beginAll(lanes: Lanes): LiveDelivery[] {
  const begun: LiveDelivery[] = [];
  for (let next = lanes.begin(0); next !== undefined; next = lanes.begin(0)) begun.push(next);
  return begun;
}

function proveAll(lanes: Lanes, endpointIds: string[], durationMs = 10): void {
  for (const id of endpointIds) lanes.add([deliveryOf('account', id)], 0);
  for (const delivery of beginAll(lanes)) lanes.end(delivery, { succeeded: true, durationMs }, 0);
}

/** As often as is asked for before the most of it is held. */
function proveLong(lanes: Lanes, endpointIds: string[], durationMs = 10): void {
  for (let times = 0; times < 400; times++) proveAll(lanes, endpointIds, durationMs);
}

function roomOf(lanes: Lanes): number | undefined {
  return lanes.claimRooms().rooms[0]?.room;
}

function deliveries(accountId: string, endpointId: string, count: number): LiveDelivery[] {
  return Array.from({ length: count }, () => deliveryOf(accountId, endpointId));
}

function deliveryOf(accountId: string, endpointId: string): LiveDelivery {
  return {
    account_id: accountId,
    endpoint_id: endpointId,
    event_id: 'event',
    place: '(0,1)',
    attempts: 0,
    next_at_us: 0,
    claimed_until_us: 0,
    mode: 'test',
    endpoint_version: 0,
    address_version: 0,
    endpoint_failing: false,
    url: 'https://example.com/',
    secret_sealed: Buffer.alloc(0),
    previous_secret_sealed: null,
    type: 'message.sent',
    sequence: 1,
    data: '{}',
    traceparent: null,
    at_ms: 0,
  };
}
