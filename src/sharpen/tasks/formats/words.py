"""The vocabulary of the generated tasks: plain words, combined by the families."""

from __future__ import annotations

THINGS = (
    *(
        "bridge",
        "library",
        "museum",
        "harbour",
        "theatre",
        "school",
        "mill",
        "station",
        "hospital",
        "lighthouse",
    ),
    *("market", "chapel", "castle", "garden", "fountain", "tower", "brewery", "tunnel", "ferry", "stadium"),
)
PLACES = (
    *("Lisbon", "Oslo", "Cork", "Graz", "Porto", "Turku", "Bergen", "Vigo", "Ghent", "Basel"),
    *("Turin", "Lyon", "Malmo", "Gdansk", "Split", "Bilbao", "Aarhus", "Utrecht", "Vienna", "Tartu"),
)
NAMES = (
    *("Anna", "Bruno", "Clara", "David", "Elena", "Felix", "Greta", "Hugo", "Ines", "Jonas"),
    *("Karin", "Lukas", "Maria", "Nils", "Olga", "Peter", "Rosa", "Simon", "Tessa", "Victor"),
)
EVENTS = ("was opened", "was finished", "was rebuilt", "was closed", "was painted", "was sold")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
PRAISE = ("wonderful", "delicious", "lovely", "excellent", "brilliant", "charming")
BLAME = ("awful", "terrible", "boring", "disgusting", "dreadful", "useless")
MEALS = ("soup", "film", "hotel", "concert", "book", "service", "garden", "lecture", "room", "coffee")
OPPOSITES = (
    *(
        ("hot", "cold"),
        ("big", "small"),
        ("up", "down"),
        ("left", "right"),
        ("open", "closed"),
        ("wet", "dry"),
    ),
    *(
        ("early", "late"),
        ("fast", "slow"),
        ("high", "low"),
        ("hard", "soft"),
        ("full", "empty"),
        ("old", "new"),
    ),
    *(
        ("light", "dark"),
        ("rich", "poor"),
        ("loud", "quiet"),
        ("strong", "weak"),
        ("near", "far"),
        ("true", "false"),
    ),
)
