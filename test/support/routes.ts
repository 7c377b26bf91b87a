import type { Route } from '../../src/http/route.ts';

/** This call never ends, so that what goes through all routes leaves it out. What it shows is what the list of events shows. */
export const STREAM = '/api/v1/events/stream';

/** The names of what may stand in the query of a route. */
export function queryMembersOf({ querySchema }: Route): string[] {
  return Object.keys(Object(Reflect.get(Object(querySchema), 'properties')));
}
