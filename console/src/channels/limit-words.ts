/** The provider's name of a messaging limit, such as `tier_10k`, as a person says it. */
export function limitWords(limit: string | null): string {
  if (limit === null) return 'not told';
  const [, digits = '', thousand = ''] = /^tier_(\d+)(k?)$/.exec(limit) ?? [];
  if (digits !== '') return (Number(digits) * (thousand === 'k' ? 1_000 : 1)).toLocaleString();
  return limit.replace(/^tier_/, '').replaceAll('_', ' ');
}
