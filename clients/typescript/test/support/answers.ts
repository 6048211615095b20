/** A `fetch` that gives each answer once, and then asks the service. */
export function answerFirst(...answers: (Response | Error)[]) {
  const keys: (string | null)[] = []
  const fetchNext: typeof fetch = async (input, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'))
    const next = answers.shift()
    if (next instanceof Error) {
      // The service gets the request; only its answer is lost.
      await fetch(input, init)
      throw next
    }
    return next ?? fetch(input, init)
  }
  return { fetch: fetchNext, keys }
}

export const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ code, detail: 'later', status }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  })
