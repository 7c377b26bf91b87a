/** What was searched for last among the accounts, so that whoever comes back from one finds the same list. The shell forgets it. */
export const lastSearch = $state({ text: '' });
