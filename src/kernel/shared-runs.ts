/** Returns `run`, but a call during another one shares its result. */
export function shareRunning<Args extends readonly unknown[], T>(
  run: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  let running: Promise<T> | undefined
  return (...args) => {
    running ??= run(...args).finally(() => {
      running = undefined
    })
    return running
  }
}
