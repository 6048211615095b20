const firstRoom = 64

export type PlaceList = ReturnType<typeof createPlaceList>

/** A growing list of places, of which a part can be read without a copy. */
export function createPlaceList() {
  let places = new Uint32Array(firstRoom)
  let length = 0

  function push(place: number): void {
    if (length === places.length) {
      const larger = new Uint32Array(2 * length)
      larger.set(places)
      places = larger
    }
    places[length] = place
    length += 1
  }

  return {
    push,
    list: (from: number, to: number) => places.subarray(from, Math.min(to, length)),
    get length() {
      return length
    },
  }
}
