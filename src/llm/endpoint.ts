/** Returns the base URL. The endpoint may be a base URL or the full path of a request. */
export function getBaseUrl(endpoint: string): string {
  return endpoint.replace(/\/+$/, '').replace(/\/(chat\/completions|embeddings)$/, '')
}
