import { readFileSync } from 'node:fs'

/** Loaded before the program: shifts its clock by the milliseconds that the file contains at the moment. */
const file = process.env['FAULTS_CLOCK'] ?? ''
const RealDate = Date
let shiftMs = read()
setInterval(() => {
  shiftMs = read()
}, 100).unref()

function read(): number {
  try {
    return Number(readFileSync(file, 'utf8')) || 0
  } catch {
    return 0
  }
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [target.now() + shiftMs] : given, newTarget),
  apply: (target) => new target(target.now() + shiftMs).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => target.now() + shiftMs : Reflect.get(target, name, receiver),
})
