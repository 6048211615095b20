/** A base URL, whether it was given as one or as the full path of a call. */
export function getBaseUrl(endpoint: string): string {
  return endpoint.replace(/\/+$/, '').replace(/\/(chat\/completions|embeddings)$/, '')
}
