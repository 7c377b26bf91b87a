/** Numbers with which the sandbox shows what can happen. At any other number the message arrives and is read. */
export const SANDBOX_NUMBERS = [
  { number: '+447700900123', words: 'is reached, and reads' },
  { number: '+15550131026', words: 'is refused: cannot be reached' },
  { number: '+15551131026', words: 'is accepted, then fails' },
  { number: '+15552000001', words: 'stays unknown' },
  { number: '+15552000007', words: 'reports come out of order' },
  { number: '+15552000014', words: 'reads, and writes back' },
];
