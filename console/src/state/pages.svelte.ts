import type { Call } from '../api/call.ts';
import type { Decode } from '../api/decode.ts';
import type { Failure } from '../api/failure.ts';
import { pageOf } from '../api/resources.ts';
import { api } from './session.svelte.ts';

const ROWS_A_PAGE = 50;

export interface Pages<Row> {
  /** undefined until the first page has come. */
  readonly rows: Row[] | undefined;
  readonly more: boolean;
  readonly failure: Failure | undefined;
  readonly busy: boolean;
  /** Reads the first page of the list that `call` names now. */
  load(): Promise<void>;
  /** Reads the next page of the list that is shown, even if another filter was typed in since. */
  loadMore(): Promise<void>;
  /** Reads what is shown again, as far down as it is shown. Until all is there the list stays as it is. */
  refresh(): Promise<void>;
  /** Reads once more what could not be read, and keeps what is there. */
  retry(): Promise<void>;
  /** Replaces a row with the changed one. */
  replace(row: Row, isSame: (other: Row) => boolean): void;
}

/** A list of the API, read page by page. */
export function createPages<Row>(row: Decode<Row>, call: () => Call): Pages<Row> {
  let rows = $state.raw<Row[]>();
  let cursor = $state.raw<string | null>(null);
  let failure = $state.raw<Failure>();
  let busy = $state(false);
  let newest = 0;
  /** The call of which `rows` and `cursor` are the answer. */
  let shown: Call | undefined;
  /** How many rows there are at least when what is under way has come. */
  let awaited = 0;
  let last = () => read(call(), null);

  async function read(asked: Call, from: string | null, rowsMin = 0): Promise<void> {
    last = () => read(asked, from, rowsMin);
    newest += 1;
    const number = newest;
    awaited = from === null ? rowsMin : (rows?.length ?? 0) + 1;
    busy = true;
    const { query, ...rest } = asked;
    const found: Row[] = [];
    let next = from;
    do {
      const answer = await api({ ...rest, query: { limit: ROWS_A_PAGE, ...query, cursor: next } }, pageOf(row));
      if (number !== newest) return;
      busy = answer.ok;
      failure = answer.ok ? undefined : answer.failure;
      if (!answer.ok) {
        // Otherwise the rows of another filter would be shown as if they were the answer to this one.
        if (JSON.stringify(asked) !== JSON.stringify(shown)) forget();
        return;
      }
      found.push(...answer.value.data);
      next = answer.value.next_cursor;
    } while (next !== null && found.length < rowsMin);
    busy = false;
    shown = asked;
    rows = from === null ? found : [...(rows ?? []), ...found];
    cursor = next;
  }

  function forget(): void {
    shown = undefined;
    rows = undefined;
    cursor = null;
  }

  return {
    get rows() {
      return rows;
    },
    get more() {
      return cursor !== null;
    },
    get failure() {
      return failure;
    },
    get busy() {
      return busy;
    },
    load: () => read(call(), null),
    loadMore: () => read(shown ?? call(), cursor),
    // Whoever has asked for more, a moment before, gets it by this.
    refresh: () => read(shown ?? call(), null, Math.max(rows?.length ?? 0, busy ? awaited : 0)),
    retry: () => last(),
    replace(changed, isSame) {
      rows = rows?.map((other) => (isSame(other) ? changed : other));
    },
  };
}
