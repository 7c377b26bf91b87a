/** JSON in which nothing is left that a terminal may obey. All of it can stand in strings only, where it may be escaped. */
export function printableJson(json: string): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}
