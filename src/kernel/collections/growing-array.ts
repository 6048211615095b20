const firstRoom = 64

type Numbers = Uint8Array | Uint32Array | Float64Array
type Kind<T extends Numbers> = new (length: number) => T

/** A typed array that grows. `values` has room to spare, and is only valid until the next `push`. */
export function createGrowingArray<T extends Numbers>(kind: Kind<T>) {
  let values = new kind(firstRoom)
  let length = 0

  function push(value: number): void {
    if (length === values.length) {
      const larger = new kind(Math.ceil(1.5 * length))
      larger.set(values)
      values = larger
    }
    values[length] = value
    length += 1
  }

  return {
    push,
    get values() {
      return values
    },
    get length() {
      return length
    },
    get bytes() {
      return values.byteLength
    },
  }
}
