import type { Endpoint } from '../api/resources.ts';

/** What a form for an endpoint asks for, as its fields hold it: an empty text, or no type, stands for null. */
export interface EndpointWish {
  url: string;
  description: string;
  types: string[];
}

type Members = Pick<Endpoint, 'url' | 'description' | 'types'>;

/** The fields of a form that shows this endpoint; those of a new one without it. */
export function wishOf(endpoint?: Members): EndpointWish {
  return { url: endpoint?.url ?? '', description: endpoint?.description ?? '', types: [...(endpoint?.types ?? [])] };
}

/** The members of a body that asks for this. */
export function membersOf({ url, description, types }: EndpointWish): Members {
  return { url: url.trim(), description: description || null, types: types.length === 0 ? null : types };
}

/** Only what differs, so that a change that somebody else made meanwhile to another member stays. */
export function changedMembers(from: Members, wish: EndpointWish): Partial<Members> {
  const to = membersOf(wish);
  return {
    ...(to.url !== from.url && { url: to.url }),
    ...((to.description ?? '') !== (from.description ?? '') && { description: to.description }),
    ...(!haveTheSame(to.types, from.types) && { types: to.types }),
  };
}

/** The boxes are ticked in any order, which means nothing. */
function haveTheSame(some: string[] | null, others: string[] | null): boolean {
  return String(some?.toSorted()) === String(others?.toSorted());
}
