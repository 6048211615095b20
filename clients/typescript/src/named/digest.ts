async function computeSha256(parts: readonly unknown[]): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts))
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** 128 bits as hexadecimal digits. */
export async function computeDigest(...parts: readonly unknown[]): Promise<string> {
  return toHex((await computeSha256(parts)).subarray(0, 16))
}

/** A UUID that depends on nothing but the parts (version 8, RFC 9562). */
export async function computeUuid(...parts: readonly unknown[]): Promise<string> {
  const digits = await computeDigest(...parts)
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0b0011) | 0b1000).toString(16)
  const groups = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`]
  return [...groups, `${variant}${digits.slice(17, 20)}`, digits.slice(20)].join('-')
}
