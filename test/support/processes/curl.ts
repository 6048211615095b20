/** The part of curl that the README uses, for machines without curl. */

type Call = { url: string; method: string; headers: Record<string, string>; body?: string }

function readArguments(words: readonly string[]): Call {
  const call: Call = { url: '', method: '', headers: {} }
  for (let at = 0; at < words.length; at++) {
    const argument = words[at] ?? ''
    const value = words[at + 1] ?? ''
    if (argument === '-s') continue
    if (!argument.startsWith('-')) {
      call.url = argument
      continue
    }
    at++
    if (argument === '-X') call.method = value
    else if (argument === '-H')
      call.headers[value.slice(0, value.indexOf(':'))] = value.slice(value.indexOf(':') + 1)
    else if (argument === '-d') call.body = value
    else throw new Error(`this curl does not know ${argument}`)
  }
  return call
}

const { url, method, headers, body } = readArguments(process.argv.slice(2))
const answer = await fetch(url, {
  method: method || (body === undefined ? 'GET' : 'POST'),
  headers,
  ...(body === undefined ? {} : { body }),
})
process.stdout.write(await answer.text())
