import { useCallback, useEffect, useState } from 'preact/hooks'

/**
 * @template T
 * @typedef {{ data: T | undefined, error: unknown, isLoading: boolean, reload: () => void }} Requested
 */

/**
 * Loads something when the component appears and whenever `dependencies` change. While it loads again, the former data
 * stay. What arrives for former dependencies is dropped.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {readonly unknown[]} dependencies
 * @returns {Requested<T>}
 */
export function useRequest(load, dependencies) {
  const [state, setState] = useState(
    /** @type {{ data: T | undefined, error: unknown, isLoading: boolean }} */ ({
      data: undefined,
      error: undefined,
      isLoading: true,
    }),
  )
  const [round, setRound] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    setState(({ data }) => ({ data, error: undefined, isLoading: true }))
    load(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ data, error: undefined, isLoading: false })
      },
      (error) => {
        if (!controller.signal.aborted) setState({ data: undefined, error, isLoading: false })
      },
    )
    return () => controller.abort()
  }, [...dependencies, round])
  const reload = useCallback(() => {
    setState((former) => ({ ...former, isLoading: true }))
    setRound((former) => former + 1)
  }, [])
  return { ...state, reload }
}
