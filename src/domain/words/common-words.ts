/**
 * How much a word tells, by a fixed list instead of counts of the store. So other records, hidden ones too, never
 * change the worth of a record, and judging needs no query. On LoCoMo three steps keep as much as exact counts.
 */

/** Roughly the natural logarithm of how many texts there are for each text with the word. */
const rarity = { every: 0, common: 2, rare: 5 } as const

const everyText = `
a about after again all also always am an and any anyone anything are aren't around as at back be because been before
being both but by can can't could couldn't did didn't do does doesn't doing don't done down each even ever every for from
get gets getting go goes going gonna got had has hasn't have haven't having he he'd he'll he's her here here's hers him his how i
i'd i'll i'm i've if in into is isn't it it'd it'll it's its just kind know let let's like lot lots made make makes me more most
much my myself no not now of off oh ok okay on one only or other our out over own really right same say see she she'd
she'll she's should so some someone something still such sure take than that that's the their them then there there's these
they they'd they'll they're they've thing things think this those though through to too uh um up us use very want was wasn't way
we we'd we'll we're we've well went were weren't what what's when where which while who whole who's why will with won't
would wouldn't yeah yep yes yet you you'd you'll you're you've your yours`

const commonText = `
able absolutely actually add added ago agree agreed almost already although amazing another answer anyway appreciate area
ask asked awesome away awful bad beautiful became become began begin behind believe best better between big bit bring
brings brought bye call called came care change changed check cheers chance choose clear close come comes coming complete
congrats congratulations cool course create day days deal definitely different difference easy either else end enjoy
enjoyed enjoying enough especially everyone everything exactly example exciting excited experience experiences face fact
fantastic far feel feeling feels felt few find fine first focus follow forward found full fun gave give given gives giving
glad goal goals goes gone good great group grow guess guys haha half hand happen happened happening happens happy hard hear
heard heart hello help helped helpful helping helps hey hi high hold hope hoping hour hours huge idea ideas imagine
impressive inspiring instead interested interesting journey keep keeps kept kinda kinds last late lately later learn
learned learning least leave left less life line list little live living long longer look looked looking looks love loved
lovely loves main making many matter may maybe mean means might mind minute moment moments month months morning move much
must name near need needed needs never new news next nice night nope nothing number often old once open others ourselves
outside part particular pass past people perfect perhaps person photo pic picture place places plan plans play
point possible pretty problem proud put question quick quite rather reach read ready real reason remember rest run
said saw saying says second seems seen self sense set several shall share shared shares sharing show showed shows side
similar simple since single small somehow soon sorry sort sound sounds special spend spent start started starting stay
step stop story strong stuff super supposed support take taken takes taking talk talking tell thank thanks thinking third
thought thoughts three time times tip tips today together told tomorrow tonight took top totally touch tough tried true
truly try trying turn two understand understood until update used using usual usually very view wait wanna wanted wanting
watch week weekend weeks welcome whatever whenever without wonder wonderful word words work worked working works world
worries worry worth wow write wrong year years yesterday yourself`

/** Words by which a text asks to be kept. Saying so adds nothing. */
const keepRequestText = `
crucial critical delete deleted discard erase essential extremely forever forget forgets forgotten highest importance important
keep kept memorise memorize memories memory must never note permanent permanently please priority protect remember retain save
store stored top urgent vital`

const split = (text: string) => text.trim().split(/\s+/)

const rarityByWord: ReadonlyMap<string, number> = new Map([
  ...split(commonText).map((word): [string, number] => [word, rarity.common]),
  ...split(everyText).map((word): [string, number] => [word, rarity.every]),
  ...split(keepRequestText).map((word): [string, number] => [word, rarity.every]),
])

/** Whether a word is in most or many texts, and so says little by being there. */
export function isCommonWord(word: string): boolean {
  return rarityByWord.has(word)
}

export function computeRarity(word: string): number {
  return rarityByWord.get(word) ?? rarity.rare
}
