/** Returns the text, at most `limit` characters of it. PostgreSQL refuses an unpaired surrogate at the end. */
export function truncate(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
}
