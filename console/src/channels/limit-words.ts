/** A messaging limit in a person's words. The provider's name for one is such as `tier_10k`. */
export function limitWords(limit: string | null): string {
  if (limit === null) return 'not told';
  const [, digits = '', thousand = ''] = /^tier_(\d+)(k?)$/.exec(limit) ?? [];
  if (digits !== '') return (Number(digits) * (thousand === 'k' ? 1_000 : 1)).toLocaleString();
  return limit.replace(/^tier_/, '').replaceAll('_', ' ');
}
