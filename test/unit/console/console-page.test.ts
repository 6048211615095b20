import { expect, it } from 'vitest'
import { removeComments } from '../../../src/console/console-page.ts'

it('sends modules without their comments, each line where it was', () => {
  const text =
    "/** What it is.\n * @param {string} a\n */\nconst url = 'https://x' // why\n  // alone\n/* b */\nrun(\n  /** @type {number} */ (a),\n  /* last */\n)\n"
  expect(removeComments(text)).toBe("\n\n\nconst url = 'https://x' // why\n\n\nrun(\n  (a),\n\n)\n")
})
