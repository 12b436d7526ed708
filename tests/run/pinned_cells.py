"""One cell of every stage, and those whose names hold generations above 1, with the ids that they have for good."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from stillproof.core.spec import digest
from stillproof.nets.nas201_code import arch_text
from stillproof.run.plan import Planner
from stillproof.suites.requests import Request, distilled, real_images, selected, snapshot, trained

DIGITS = real_images("digits")
DM = distilled(DIGITS, "dm:steps=3", 1, 0, "convnet-3", "smoke")
MTT = distilled(DIGITS, "mtt:zca=true:experts=1", 1, 2, "convnet-3-bn", "smoke")
RANDOM = distilled(DIGITS, "random", 10, 1)
TEACHER = trained(DIGITS, "convnet-3", "smoke", 0)
MODEL = trained(RANDOM, "convnet-3", "smoke", 0)
DEFENDED = trained(RANDOM, "convnet-3", "smoke", 0, defence="pgd-at:eps=0.1:steps=2")
NO_CELL = {"data": "real images are named by their content", "artifact": "a stored set is named by its content"}

made = partial(distilled, DIGITS, ipc=1, seed=0, network="convnet-3-bn", scale="smoke")
attacked = partial(Request, "attack", model=selected(MODEL, "last"), dataset="digits", limit=20)
augmented = partial(trained, RANDOM, "convnet-3", seed=0)
PGD = attacked(attack="pgd:eps=8/255:steps=3")
FMN = attacked(attack="fmn:steps=3")
CW = attacked(attack="cw:steps=3")
KEPT = PGD.but(keep=True, all_steps=True)
RATES = (0.01, 0.1)
TRIED = [
    augmented(f"smoke:lr={rate}", heldout="heldout").but(on=RANDOM.but(data=real_images("digits", "fit")))
    for rate in RATES
]
BEST = Request("best-rate", selected=[selected(one, "last") for one in TRIED], rates=RATES, rule="heldout")
UNDER = partial(Request, "attacked-set", model=MODEL, dataset="digits", per_class=6)
SET = UNDER(attack="pgd:eps=8/255:steps=3")
META = "meta-at:epochs=1:objective=meta-at(ways=1,shots=1,queries=1)"
BENCH = partial(Request, "attack-bench", model=MODEL, dataset="digits", budget=20, limit=20)

CELLS = {
    "whitening": Request("zca", dataset="digits"),
    "random": RANDOM,
    "dm": DM,
    "mtt": MTT,
    "snapshot": snapshot(DM, 2),
    "training": trained(DM, "convnet-3", "dc-bench-dsa:augment=dsa(strategy=flip_scale)", 4),
    "full": selected(trained(real_images("digits", "fit"), "mlp", "quick-real", 0, "heldout"), "heldout"),
    "transformer": trained(RANDOM, "vit", "smoke", 0),
    "coverage": Request("coverage", of=DM, model=TEACHER),
    "map": Request("map", sets=[RANDOM], model=TEACHER, label=3),
    "audit": Request("audit", of=RANDOM),
    "expert": Request("expert", dataset="digits", part="train", network="convnet-3", recipe="expert:epochs=2", seed=1),
    "cost": Request("cost", of=made("dc"), steps=2),
    "sre2l": made("sre2l"),
    "rded": made("rded"),
    "bacon": made("bacon"),
    "relabelled hard": Request("relabel", of=RANDOM, labels="hard"),
    "relabelled taught": Request("relabel", of=RANDOM, labels="taught", teachers=[TEACHER]),
    "relabelled like": Request("relabel", of=RANDOM, labels="like", like=made("rded")),
    "noisy": Request("noisy", of=RANDOM, std=0.5, seed=2),
    "same space": Request("same-space", of=RANDOM, like=MTT),
    "defended": DEFENDED,
    "best rate": BEST,
    "tuned": Request("tuned", train=MODEL, choice=BEST),
    "auto-augment": augmented("smoke:augment=auto-augment"),
    "rand-augment": augmented("smoke:augment=rand-augment"),
    "imagenet-aug": augmented("smoke:augment=imagenet-aug"),
    "by class": Request("by-class", of=MODEL),
    "comparison": Request("compare", first=[MODEL], second=[DEFENDED]),
    "stored model": Request("model", artifact="a" * 64, network="convnet-3"),
    "attacked model": PGD.but(model=Request("model", artifact="a" * 64, network="convnet-3")),
    "fair": PGD,
    "faithful": PGD.but(protocol="faithful", attack="cw"),
    "targeted": PGD.but(targets="next", seed=1),
    "kept": KEPT,
    "fgsm": attacked(attack="fgsm"),
    "apgd": attacked(attack="apgd"),
    "autoattack": attacked(attack="autoattack"),
    "ddn": attacked(attack="ddn"),
    "fab": attacked(attack="fab"),
    "fmn": FMN,
    "onepixel": attacked(attack="onepixel"),
    "square": attacked(attack="square"),
    "within": Request("within", of=CW, norm="L2", eps=0.5),
    "worst case": Request("worst-case", of=[PGD, Request("within", of=CW, norm="L2", eps=0.5)]),
    "transfer": Request("transfer", of=KEPT, model=TEACHER),
    "judge": Request("judge", model=TEACHER, on=KEPT),
    "attacked set": SET,
    "attack on others": Request("attack-others", of=PGD, attacked=SET),
    "distilled attacked": Request("distil-attacked", attacked=SET, method="dm:steps=3", ipc=1, network="convnet-3"),
    "meta-trained": Request("meta-train", start=MODEL, sets=[SET], dataset="digits", recipe=META),
    "adapted": Request("adapt", model=MODEL, attacked=SET, dataset="digits", recipe=META, queries=1),
    "attacked set of mad": UNDER(attack="mad/29", protocol="faithful:mad"),
    "robust curve": Request("robust-curve", of=FMN, checks=[PGD], largest=0.25),
    "attack time": Request("attack-time", of=PGD, first=10),
    "attack check": Request("attack-check", model=MODEL, dataset="digits", eps=8 / 255, limit=20),
    "attack bench": BENCH(attack="ddn", norm="L2"),
    "published": Request("truth", networks=["nas201:arch=333132"]),
}
# If one of these changes, everybody's stored answers to that question have lost their name. That is right where a
# generation was raised, because the numbers may change: then write the new id here. Otherwise something leaks in.
PINNED = {
    "whitening": "46b4f5e0fe97d5435fe72ff256a5969a8794fe597e76c903d1caaec622ad6cb7",
    "random": "39d58ab49a320f378051c7a4cbb9cd754a00822bcfc7649242b575c66978094d",
    "dm": "57d6b51d98d60c8828c972a8596a2eb356853865af0362084b1b6dbfa30df575",
    "mtt": "3116ab82ac82e7b79e67e3ea98016284cc973a24750c76f1f41c3cbe36ee6d05",
    "snapshot": "7ace0ba6077acbf4e60382e0216ad8bd9cee4cd8985ed05fb054db8670ced851",
    "training": "82a8344fccea751d7b8f6aabae4be91fb65dbd3daedd5655716ecaf486c3edbf",
    "full": "c40f3594e6f2ae8d23d1e66799c88868495f37134fd09ee741bc289fe863dd34",
    "transformer": "0a2537d6201c1ce93bf433b92775db4d17b5429972edf83b0acbcaba1ef7a0ac",
    "coverage": "4cf9675f6daa3c2042acabc7823f348315cbb118ff789b5abad04b8d143f26de",
    "map": "6117699136b5a8660826e506d9b56cb1432a895a8e8b62dbff2451b611143e34",
    "audit": "848088082d6a13ff3efbe7ca90ac08a38302eddfaa89193a8054b017fa9f2417",
    "expert": "6e29ab55f8a78b1ca71afd306990e596892d36761e914874c9c2a361c66e29e8",
    "cost": "347159038d9f0681655d5facf01546d5a976feba15fee5052024420ebe203451",
    "sre2l": "57524e31d644aea54fd10bfdfbcd7252126636edb029c943b10bb4c460bc7629",
    "rded": "a821a112f99c2bbc19afd37885ff4ffd0062e16b34263cda509616ccb9b652a2",
    "bacon": "e539376fc7b8c52f040a9786348f9cf8e3aa666d92707532bc82a1333e774d9b",
    "relabelled hard": "85c623249f4e641cc9a375a5aee11a82c3b11c13fb7f28b2b43499676f94f591",
    "relabelled taught": "0059399da1ed551cd34a252d67ce79f5c2a016587aaa1f2384f498cb56f16608",
    "relabelled like": "fe1aab6b4adb307f659e3e38cb7ddf71fbfa265beed4b852fbb4c21844bc263c",
    "noisy": "63cbc7c57acb552eaf735268473f92f77ceb5a886ac5cefaf747f1bc553841a2",
    "same space": "85042718db464860787ec94824f8ef419c95a469a59d54444c40792c115be692",
    "defended": "b6a0a629e1bb739eb11b19aa23a380c2b7a4b3cf8cf2bf271fd95ebd60048290",
    "best rate": "a63e5dc15c2e09c27b6152d3dd825bf9a9aae9d08ce82b71a814273a66e0cb25",
    "tuned": "63a290fbe708da5d08064d9b967271651c7cd7d129f4f643ef2c7ada64bfd744",
    "auto-augment": "27e64474d22a7e62f60922516c6d481405df9cb116bfb8e250d92ef68666dae5",
    "rand-augment": "8d58c4c9c0dc7014894739436b5dbe5f157cb2de8b2fac7008bf2f5d24eb8e95",
    "imagenet-aug": "b92433f1ccbb119e77274270a55aa2a77c4f3c7e903e44cfc2c4fff9ccbc6654",
    "by class": "faf2c7e19eb375aa6bece5900f05a23b7a3ebd053804e4feb4ee03971b41856b",
    "comparison": "1ee845aabcbeebbbf267e561ae06a03ccbf467af42a04d05386b93e07684a4b9",
    "stored model": "fa043c77dc800ccb270c41419cb873aea4110dd503078bc8d2b409709b453b69",
    "attacked model": "622df458e575c017acb071b2046ebb9db8d097d5c437baf79e385797cb64099e",
    "fair": "9cb5f23235f522b5bd0f8c6f7ff2efd0e52a09c160ced28cc6fc90290753799e",
    "faithful": "ceaa9a7b63d52ace0a3c925170824551933c9f1e52c01d9ad1b2876138906052",
    "targeted": "4e748d5543a57a73d66f63d46f1231897c74e9897347687f09856e5acf32dc68",
    "kept": "8a3596dc532134702bb81fcb6a45babad721fc8c4abec2afaaa5983554771cca",
    "fgsm": "f18320389c3f1192b010ee107894de9fead543c41b4132d0916b41294302b376",
    "apgd": "201df7e8951a931e27f37ca00f6478b4ea8bbb36012a976957d9ba568049379d",
    "autoattack": "0ed5a498bd7bb49bdc1922f81b524601603ceacb7f2ba0bfcfa5900515e02a72",
    "ddn": "24f2e6b473717e76adab6bc4eba0669ae74aba7bbc3f75be07e3e1add94de6db",
    "fab": "4a9be55b2628d649b2ee9aab37e072d08aadcbf34fed1af723f2818a1a94fc16",
    "fmn": "6aa613158e0afa695b22004b9bc041d8e3bf1ae67e6f65e5e95c2c9f63dd228a",
    "onepixel": "f3dbccc0e98751ff0d8c71a3d963624efae9c064beb471e55bdbf330126fc003",
    "square": "ad35e7b4bebfb9c74c4a4085d04a3204f2649205ecca9b7764c00778ce842299",
    "within": "76a99ae64b0134038bb3aee28ad693717a2d39b6010af3d59b23cf920f0bbd46",
    "worst case": "74d12f203bd72d2f48f070205867e3332f6599273c25451da1bb24fdeb643ca9",
    "judge": "e59b29a461c2c89c8af8a92edd11b75212152d7215e60307e0d79156f98c0296",
    "attacked set": "69d10932aa45c6690c5e91ea9fcbf225c175217607681d323f9453e2489c3788",
    "attack on others": "18fc8ccf17dcdd2126c8541b95261f890b8e5fdf5222ee9e6ea91f920850f364",
    "distilled attacked": "68c43352da6230061e4e25938e0c1acb5745311873fe56a08bc358e3e5fc92e4",
    "meta-trained": "a270105bce4939475bec3d43275b6b9705077b6622b4cdf1c8f717917e60ac36",
    "adapted": "4ac606d27b9e8a82d321bae8476d2397dec3610f8c9036d76cb8e6ee4c6ed4c5",
    "attacked set of mad": "3d3fc42cb1a28ba72b6a557d10cf5c84adcfdf72ff4199a239d4934903f78940",
    "transfer": "113e22c76c2660e16b794172f1a4b4bfe97615cbd7896d616c76bad542b737c7",
    "robust curve": "f2ee21384fdbcbadca4eea34b29b6c4f0de534f1b0d35148638cc4e4c87ca6e6",
    "attack time": "71914c4a68addf66a3a29855c364d12ab27c7007afe2f1fc01407a3dc016fc0d",
    "attack check": "0cc888fe797e70280d9fe84512d9a4d7f95fd2314e1882246849f4591e9527de",
    "attack bench": "247fa01de0e79af11a3aab186ff9c751acf9a6d0421003324d36f67c16a9dcdd",
    "published": "7854771176d3e4bb910c3cd97d2d5055459ad02a50e001ae0eb4e24946d234d1",
}


def planner_for(folder: Path) -> Planner:
    """Return a planner whose data folder has what the cells need."""
    table = f"arch,cifar10_test\n{arch_text('333132')},94.37\n"
    (folder / "nas_bench_201.csv").write_text(table, encoding="utf-8")
    return Planner(folder)


def ids(folder: Path) -> dict[str, str]:
    """Return the ids of all cells; of those that are timed, as they would be on a machine without a name."""
    planner = planner_for(folder)
    cells = {name: planner.plan(request) for name, request in CELLS.items()}
    return {
        name: digest(cell.spec | {"machine": None}) if "machine" in cell.spec else cell.id
        for name, cell in cells.items()
    }
