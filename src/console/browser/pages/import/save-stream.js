/**
 * Opens a file to write to, with the dialog of the browser where there is one: the content goes to the disk as it arrives.
 * Elsewhere the browser collects it first and then saves it as a download. Call it within the click of a person.
 * @param {string} name
 * @returns {Promise<((content: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<void>) | undefined>} undefined when the person cancels
 */
export async function openTarget(name) {
  const pick = /** @type {{ showSaveFilePicker?: (options: object) => Promise<FileSystemFileHandle> }} */ (
    globalThis
  ).showSaveFilePicker
  if (!pick) return async (content) => download(await new Response(content).blob(), name)
  try {
    const handle = await pick({ suggestedName: name })
    return async (content) => content.pipeTo(await handle.createWritable())
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/**
 * Passes everything on and says how much it was.
 * @param {(bytes: number) => void} onBytes
 * @returns {TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>}
 */
export function countBytes(onBytes) {
  return new TransformStream({
    transform(chunk, controller) {
      onBytes(chunk.byteLength)
      controller.enqueue(chunk)
    },
  })
}
