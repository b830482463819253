"""The cast of the generated stories: who they are and what belongs to them alone.

Each person has a trade, a home, habits and things that no other person has, so
that a token that strays from one request into another is seen at once: a baker
who suddenly mends nets is corruption, not style. The order of the rows decides
who is whose friend.

What this module does not do: build sentences (`engine.model.corpus` does).
"""

from dataclasses import dataclass

_LINES_PER_PERSON = 5
_TABLE = """
Mara/she/baker/41/above the old mill/a cat named Biscuit/rye bread/in March
 kneaded dough before dawn/hummed to the oven
 lost/silver thimble/under the flour sacks
 found/copper whisk/behind the mill wheel
 mended/cracked bowl/by the stove
Otto/he/fisher/63/beside the grey harbour/a gull named Captain/smoked herring/before the storm
 untangled his nets/rowed past the lighthouse
 hauled up/rusty anchor/off the sandbank
 caught/golden carp/at low tide
 dropped/bone compass/between the piers
Pia/she/pilot/29/next to the airfield/a parrot named Radar/hot noodles/on a windless Monday
 polished the propeller/flew low over the vineyards
 unfolded/secret map/in the cockpit
 dented/silver wing/on the short runway
 won/leather jacket/at the air race
Ivan/he/clockmaker/70/in the narrow tower/a mouse named Tick/plum dumplings/at exactly noon
 wound nine hundred springs/oiled tiny wheels
 repaired/cuckoo clock/on the landing
 swallowed/brass screw/over his workbench
 built/moon dial/against the chimney
Nell/she/gardener/35/behind the glass houses/a hedgehog named Thistle/carrot soup/after the frost
 watered the tulips/spoke kindly to the worms
 planted/blue melon/beside the compost
 dug up/iron key/under the rose hedge
 grew/striped beetroot/in the hothouse
Hugo/he/blacksmith/52/across from the quarry/a hound named Soot/roast mutton/during the great heat
 hammered horseshoes/sharpened every plough in the valley
 forged/crooked sword/at the red forge
 straightened/bent spoon/on the cold anvil
 broke/heavy chain/near the quarry gate
Tess/she/librarian/48/under the attic beams/an owl named Comma/lemon cake/on the longest evening
 dusted the atlases/read novels to nobody
 misplaced/velvet bookmark/among the dictionaries
 opened/locked diary/in the reading room
 stamped/ancient letter/at the front desk
Basil/he/beekeeper/57/on the clover hill/a bear named Jam/honey biscuits/when the lime trees bloomed
 smoked the hives/counted his queens twice
 collected/wax candle/from the seventh hive
 painted/yellow hive/along the fence
 rescued/sleepy bumblebee/out of a teapot
Greta/she/painter/33/over the noisy cafe/a poodle named Cobalt/olive salad/one misty Thursday
 mixed purple and green/sketched strangers
 sold/crooked portrait/at the gallery
 spilled/tin of turpentine/across the easel
 framed/tiny seascape/above the piano
Felix/he/postman/26/at the railway crossing/a donkey named Parcel/cheese rolls/just before Christmas
 sorted postcards/pedalled up the steep lane
 delivered/humming package/to the wrong door
 forgot/green envelope/in his satchel
 licked/rare stamp/at the counter
Wren/she/shepherd/19/in the high pasture/a lamb named Cloud/goat milk/as the snow melted
 whistled to her flock/slept among the ferns
 carved/wooden flute/from an elder branch
 followed/lost ewe/into the ravine
 knitted/woollen hat/by the campfire
Quentin/he/violinist/38/opposite the opera/a canary named Tempo/buttered toast/between two concerts
 practised his scales/tuned four stubborn strings
 snapped/horsehair bow/during the waltz
 pawned/walnut violin/in Market Street
 composed/gentle lullaby/on a napkin
Zora/she/astronomer/66/inside the white dome/a bat named Pluto/cold porridge/under a new moon
 charted the planets/cleaned her telescope
 discovered/lonely comet/near the northern star
 photographed/double eclipse/through the big lens
 catalogued/fallen meteorite/in the desert
Silas/he/sailor/44/aboard a tarred schooner/a monkey named Ballast/salted beef/far from any shore
 scrubbed the deck/climbed the main mast
 traded/ivory pipe/in the spice port
 bottled/model ship/below deck
 harpooned/floating barrel/south of the reef
Ada/she/teacher/31/beside the schoolyard/a tortoise named Euclid/apple tart/on the first day of term
 drew triangles/marked forty spelling tests
 confiscated/rubber frog/in the third row
 chalked/long riddle/on the blackboard
 repainted/paper globe/during recess
Clem/he/carpenter/59/amid the pine woods/a squirrel named Dowel/bean stew/late in October
 planed oak boards/swept up the shavings
 sawed/rocking chair/in the woodshed
 glued/chess table/on the porch
 nailed/cedar birdhouse/to the tallest pine
Juno/she/dancer/24/backstage at the circus/a pony named Polka/candied almonds/before the gala
 stretched at the mirror/spun until dizzy
 tore/satin slipper/on the trapeze
 borrowed/feathered mask/from the clown
 sewed/spangled cape/inside the wagon
Kofi/he/drummer/30/near the bus station/a rooster named Snare/fried plantain/when the rains came
 beat time on buckets/taught rhythms to children
 tightened/goatskin drum/under the mango tree
 swapped/pair of cymbals/at the crossroads
 recorded/carnival song/in the garage
Lena/she/doctor/46/above the village clinic/a spaniel named Pulse/ginger tea/that feverish winter
 rolled bandages/listened to old hearts
 sterilised/glass syringe/in the surgery
 prescribed/bitter syrup/at the bedside
 misread/skeleton chart/behind the curtain
Rufus/he/ranger/40/in a hut by the canyon/a wolf named Ember/wild berries/in the dry season
 tracked the elk/put out stray campfires
 spotted/eagle nest/on the red cliff
 fenced/hidden spring/along the trail
 whittled/walking stick/beneath a dead juniper
Una/she/weaver/68/down Spindle Lane/a goose named Bobbin/barley broth/while the fair was in town
 carded fleeces/threaded the great loom
 wove/scarlet carpet/for the mayor
 unravelled/knotted shawl/in her lap
 dyed/indigo blanket/in the washtub
Victor/he/cook/37/below the Grand Hotel/a lobster named Duke/mushroom pie/just before the banquet
 chopped onions/tasted every sauce
 burned/almond pudding/in the pantry
 toppled/mountain of pancakes/beside the royal table
 seasoned/giant pumpkin/in the scullery
Yara/she/diver/22/on stilts above the lagoon/a crab named Ink/coconut rice/at the spring tide
 held her breath/fed the seahorses
 lifted/black pearl/out of the wreck
 freed/tangled turtle/from the coral
 traced/sunken bell/beyond the buoy
Dora/she/potter/55/by the clay pits/a snail named Glaze/poppy buns/once the kiln had cooled
 threw tall vases/washed slip off her elbows
 fired/speckled teapot/in the kiln
 chipped/enamel jug/on the windowsill
 shaped/smiling gnome/at the wheel
"""


@dataclass(frozen=True)
class Find:
    """One thing that happened to somebody: what they did, to which thing, where."""

    verb: str
    thing: str
    place: str


@dataclass(frozen=True)
class Subject:
    """One person of the stories with everything that is theirs alone."""

    name: str
    pronoun: str
    job: str
    age: int
    home: str
    pet: str
    food: str
    when: str
    habits: tuple[str, ...]
    finds: tuple[Find, ...]


def _parse(person: str, habits: str, *finds: str) -> Subject:
    name, pronoun, job, age, home, pet, food, when = person.split("/")
    own = tuple(habits.strip().split("/"))
    events = tuple(Find(*find.strip().split("/")) for find in finds)
    return Subject(name, pronoun, job, int(age), home, pet, food, when, own, events)


def _read_table() -> tuple[Subject, ...]:
    lines = _TABLE.strip().splitlines()
    starts = range(0, len(lines), _LINES_PER_PERSON)
    return tuple(_parse(*lines[i : i + _LINES_PER_PERSON]) for i in starts)


SUBJECTS: tuple[Subject, ...] = _read_table()
"""The whole cast, in a fixed order."""
