import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { balance } from './balance.ts';
import type { Books } from './books.ts';
import { eventOf, goodBooks } from './good-books.ts';

/** Spoils good books, and returns what the balance finds wrong with them. */
function spoilt(spoil: (books: Books) => unknown): string[] {
  const books = goodBooks();
  spoil(books);
  return balance(books);
}

function assertFound(expected: RegExp, spoil: (books: Books) => unknown): void {
  const found = spoilt(spoil);
  assert.ok(
    found.some((fault) => expected.test(fault)),
    `${expected} is not among ${JSON.stringify(found)}`,
  );
}

function at<Value>(list: readonly Value[], place: number): Value {
  return list[place] ?? assert.fail(`There is no place ${place}`);
}

/** Changes the text of an answer. */
function retell(books: Books, place: number, from: string, to: string): void {
  const answer = at(at(books.sends, 0).answers, place);
  assert.ok(answer.text.includes(from));
  answer.text = answer.text.replace(from, to);
}

describe('the balance', () => {
  it('finds nothing where nothing is wrong', () => {
    assert.deepEqual(
      spoilt(() => undefined),
      [],
    );
  });

  describe('of sends finds', () => {
    it('an accepted message that the provider never took', () =>
      assertFound(/msg_1 of k was answered accepted, and the provider took it 0 times/, ({ transmits }) =>
        transmits.shift(),
      ));

    it('a message that was handed over twice', () =>
      assertFound(/msg_1 was handed over 2 times/, ({ transmits }) => transmits.push(at(transmits, 0))));

    it('a message that may have been handed over twice, whatever was answered', () =>
      assertFound(/msg_3 was handed over 2 times/, ({ transmits }) => {
        at(transmits, 2).taken = 'maybe';
        transmits.push({ ...at(transmits, 2), taken: 'yes' });
      }));

    it('a failed message that the provider took', () =>
      assertFound(/msg_2 of k was answered failed/, ({ transmits }) => {
        at(transmits, 1).taken = 'yes';
      }));

    it('no fault in a failure that the provider reported after it took the message', () => {
      const found = spoilt((books) => {
        retell(books, 0, '"status":"accepted"', '"status":"failed"');
        retell(books, 1, '"status":"accepted"', '"status":"failed"');
        books.statuses.push({ messageId: 'msg_1', status: 'failed', acknowledged: 1, posted: 1 });
        books.reports.push({ messageId: 'msg_1', status: 'failed', note: 'late' });
      });
      assert.deepEqual(found, []);
    });

    it('a message left under way, and a request left running', () => {
      assertFound(/msg_3 is left transmitting/, ({ messages }) => {
        at(messages, 2).status = 'transmitting';
      });
      assertFound(/1 requests are left running/, (books) => {
        books.requestsRunning = 1;
      });
    });

    it('a message that was transmitted or answered and is not stored, and one that nobody was told of', () => {
      assertFound(/msg_1 was transmitted and is not stored/, ({ messages }) => messages.shift());
      assertFound(/msg_1 was answered and is not stored/, ({ messages }) => messages.shift());
      assertFound(/msg_9 is stored and no answer tells of it/, ({ messages }) =>
        messages.push({ ...at(messages, 1), id: 'msg_9' }),
      );
    });
  });

  describe('of idempotency keys finds', () => {
    it('a key that was never answered, or is not replayed', () => {
      assertFound(/k was never answered/, ({ sends }) => {
        at(sends, 0).answers = [];
      });
      assertFound(/k is not replayed/, ({ sends }) => at(sends, 0).answers.pop());
    });

    it('a replay that differs in one byte', () =>
      assertFound(/k has two replays/, (books) => {
        const { answers } = at(books.sends, 0);
        answers.push({ ...at(answers, 1) });
        retell(books, 2, '"results":', '"results": ');
      }));

    it('a key that was carried out twice', () =>
      assertFound(/k was carried out 2 times/, ({ sends }) => {
        const { answers } = at(sends, 0);
        answers.unshift({ ...at(answers, 0) });
      }));

    it('a replay that says the opposite of the first answer, but not one that claims nothing', () => {
      assertFound(/was told accepted and is replayed as failed/, (books) => retell(books, 1, 'accepted', 'failed'));
      const claimsNothing = spoilt((books) => retell(books, 1, '"status":"accepted"', '"status":"unknown"'));
      assert.deepEqual(claimsNothing, []);
    });

    it('a repetition that transmits', () =>
      assertFound(/Repeated keys have transmitted 1 times/, ({ transmitsAtRest }) => transmitsAtRest.after++));
  });

  describe('of notifications finds', () => {
    it('one that was acknowledged and is not kept', () =>
      assertFound(/1 of a status were acknowledged and 0 are stored/, ({ notifications }) => notifications.shift()));

    it('one that is kept more often than it was posted', () =>
      assertFound(/1 of a status were posted and 2 are stored/, ({ notifications }) => at(notifications, 0).count++));

    it('one that was not applied', () =>
      assertFound(/A status ended waiting/, ({ notifications }) => {
        at(notifications, 0).state = 'waiting';
      }));

    it('a status that is lost, doubled, or was never posted', () => {
      assertFound(/delivered of msg_1 was acknowledged 1 times and noted 0 times/, ({ reports }) => reports.shift());
      assertFound(/delivered of msg_1 had its effect 2 times/, ({ reports, statuses }) => {
        at(statuses, 0).posted = 2;
        reports.push(at(reports, 0));
      });
      assertFound(/played of msg_1 was noted and never posted/, ({ reports }) =>
        reports.push({ messageId: 'msg_1', status: 'played', note: null }),
      );
    });

    it('a late answer that is noted twice, or of a message that was not unknown; and nothing in one that is right', () => {
      const late = { messageId: 'msg_3', status: 'accepted', note: null };
      const settle = (books: Books) => {
        const message = books.messages.find(({ id }) => id === 'msg_3') ?? assert.fail('There is no msg_3');
        message.outcome = 'unknown';
        if (message.status === 'unknown') message.status = 'accepted';
      };
      const right = spoilt((books) => {
        settle(books);
        books.reports.push({ ...late });
      });
      assert.ok(!right.some((fault) => /msg_3.*(noted|should be)/.test(fault)), right.join('; '));
      assertFound(/accepted of msg_3 was noted and never posted/, (books) => {
        settle(books);
        books.reports.push({ ...late }, { ...late });
      });
      assertFound(/accepted of msg_1 was noted and never posted/, ({ reports }) =>
        reports.push({ ...late, messageId: 'msg_1' }),
      );
    });

    it('a text that is lost or doubled', () => {
      assertFound(/The text wamid.1 is stored 0 times/, ({ messages }) => messages.pop());
      assertFound(/The text wamid.1 is stored 2 times/, ({ messages }) => messages.push(at(messages, 3)));
    });
  });

  it('finds a state that does not follow from what was posted', () => {
    assertFound(/msg_1 is sent and should be read/, ({ messages }) => {
      at(messages, 0).status = 'sent';
    });
    assertFound(/msg_3 is accepted and should be unknown/, ({ messages }) => {
      at(messages, 2).status = 'accepted';
    });
  });

  describe('of the event log finds', () => {
    const logOf = ({ logs }: Books) => at(logs, 0);

    it('a gap, a repeated number, and an end that is not there', () => {
      assertFound(/has number 3 at place 2/, (books) => logOf(books).events.splice(1, 1));
      assertFound(/has number 1 at place 2/, (books) => logOf(books).events.splice(1, 0, at(logOf(books).events, 0)));
      assertFound(/ends at 4, and it says 5/, (books) => logOf(books).latest++);
    });

    it('an event that is missing, and one too many', () => {
      assertFound(/msg_1 has 0 events message.read, not 1/, (books) => logOf(books).events.splice(2, 1));
      assertFound(/msg_1 has 1 events message.sent, not 0/, (books) =>
        logOf(books).events.push(eventOf(5, 'message.sent', 'msg_1')),
      );
    });

    it('an event of a message of nobody', () =>
      assertFound(/An event tells of msg_9/, (books) => logOf(books).events.push(eventOf(5, 'message.read', 'msg_9'))));
  });

  describe('of deliveries finds', () => {
    const deliveredIn = ({ logs }: Books) => at(logs, 0).endpoint?.delivered ?? assert.fail();

    it('an event that never arrived, and one that is in no log', () => {
      assertFound(/Event 1 of account-1 \(evt_1\) never reached/, (books) => deliveredIn(books).shift());
      assertFound(/The endpoint got evt_9/, (books) =>
        deliveredIn(books).push({ ...at(deliveredIn(books), 0), id: 'evt_9' }),
      );
    });

    it('a wrong signature, and a body that is not the feed’s', () => {
      assertFound(/evt_1 came with a wrong signature/, (books) => {
        at(deliveredIn(books), 0).timestamp = '1767225601';
      });
      assertFound(/evt_1 came otherwise/, (books) => {
        at(deliveredIn(books), 0).body = '{}';
      });
    });
  });
});
