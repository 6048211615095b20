const firstRoom = 64

/** A growing list of addresses, of which a part can be read without a copy. */
export function createAddressList() {
  let addresses = new Uint32Array(firstRoom)
  let length = 0

  function push(address: number): void {
    if (length === addresses.length) {
      const larger = new Uint32Array(2 * length)
      larger.set(addresses)
      addresses = larger
    }
    addresses[length] = address
    length += 1
  }

  return { push, list: (from: number, to: number) => addresses.subarray(from, Math.min(to, length)) }
}
