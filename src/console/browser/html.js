import htm from 'htm'
import { h } from 'preact'

/** Markup as a tagged template. What is inserted into it becomes text or an attribute, never markup. */
export const html = htm.bind(h)

/** @typedef {ReturnType<typeof html>} Markup */
