/** @import uPlot from 'uplot' */

/**
 * A colour of the style sheet for a canvas, which knows neither custom properties nor light-dark().
 * @param {Element} element
 * @param {string} property such as `--accent`
 */
export function readColour(element, property) {
  const probe = document.createElement('i')
  probe.style.color = `var(${property})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** How every axis looks. @param {Element} element @returns {uPlot.Axis} */
export function describeAxis(element) {
  return {
    stroke: readColour(element, '--text-soft'),
    font: `11px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: readColour(element, '--line'), width: 1 },
    ticks: { show: false },
  }
}

/**
 * Calls back when the person changes between light and dark; what is returned ends that.
 * @param {() => void} redraw
 */
export function watchScheme(redraw) {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', redraw)
  return () => dark.removeEventListener('change', redraw)
}
