/** What a send may have at most, for the parser and for the description of the API. Characters are code points. */
export const SEND_LIMITS = {
  /** What the service promises to take in one request. */
  recipients: 50,
  /** The provider's limit for the text of a message. Its unit is not told; code points are what people count. */
  bodyCharacters: 4_096,
  templateNameCharacters: 512,
  languageCharacters: 35,
  referenceCharacters: 255,
} as const;
