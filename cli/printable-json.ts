/** JSON without the characters that a terminal may obey. These can only stand in strings, where they may be escaped. */
export function printableJson(json: string): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}
