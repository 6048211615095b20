import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { Failure, Loading } from './states.js'

/** @import { ComponentType } from 'preact' */

/** @type {WeakMap<() => Promise<unknown>, ComponentType<any>>} */
const loaded = new WeakMap()

/**
 * Shows a component whose module is loaded when it is first needed. `load` must be the same function each time.
 * @param {{ load: () => Promise<{ View: ComponentType<any> }>, title?: string, [property: string]: unknown }} properties
 */
export function Lazy({ load, title, ...properties }) {
  const [error, setError] = useState(/** @type {Error | undefined} */ (undefined))
  const [, setLoads] = useState(0)
  useEffect(() => {
    let isCurrent = true
    if (loaded.has(load)) return
    load().then(
      ({ View }) => {
        loaded.set(load, View)
        if (isCurrent) setLoads((former) => former + 1)
      },
      () => {
        if (isCurrent)
          setError(
            new Error('This part cannot be loaded. Membrane was updated or is unreachable: reload the page.'),
          )
      },
    )
    return () => {
      isCurrent = false
    }
  }, [load])
  const View = loaded.get(load)
  if (View) return html`<${View} ...${properties} />`
  const heading = title === undefined ? null : html`<div class="page-head"><h1>${title}</h1></div>`
  if (error) return html`${heading}<${Failure} error=${error} retry=${() => location.reload()} />`
  return html`${heading}<${Loading} />`
}
