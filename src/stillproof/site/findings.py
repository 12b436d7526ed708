"""What was found about the originals, each with the command that shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    Args:
        about: The paper or its code.
        found: What was found, in a sentence or two.
        published: The published number.
        measured: What was measured here.
        size: On how much.
        command: The command that measures it again.
    """

    about: str
    found: str
    published: str
    measured: str
    size: str
    command: str


FINDINGS = (
    Finding(
        "BEARD",
        "Its attacks start from normalised images that a library takes for pixels and clamps to [0, 1]. The clamp "
        "alone, without any attack, leaves of its BACON network what is published under PGD-L2.",
        "50.80 % under PGD-L2",
        "50.81 % without an attack",
        "1 network, 10,000 test images of CIFAR-10",
        "stillproof attack BACON.pth --dataset cifar10 --attack none,fgsm,pgd-l2 --protocol faithful",
    ),
    Finding(
        "BEARD",
        "In pixels, at the 8/255 that the paper names, FGSM and PGD leave nothing of the same network.",
        "38.16 % under FGSM",
        "0.7 % under FGSM, 0.0 % under PGD",
        "first 1,000 test images of CIFAR-10",
        "stillproof attack BACON.pth --dataset cifar10 --attack fgsm,pgd --eps 8/255 --limit 1000",
    ),
    Finding(
        "DD-Ranking",
        "The paper defines its scores on fractions, and its code computes them from percentages.",
        "LRS 23.2 of DC, CIFAR-10, 10 images per class",
        "23.2 by the paper's formula, -0.16 by the code",
        "published means",
        "python -c 'from stillproof.score import label_robust_score as lrs; print(lrs(hlr=0.367, ior=0.185))'",
    ),
    Finding(
        "SRe2L",
        "At this size its labels do the work, not its images: random images with the same teacher's labels are better.",
        "not given",
        "83.0 % with its images, 92.4 % with random ones",
        "digits, 10 images per class, 3 seeds",
        "stillproof run dd-ranking --dataset digits --scale quick",
    ),
    Finding(
        "MAD",
        "In the public code of its follow-up, adapting changes nothing, since the optimiser holds the weights of "
        "another copy; and tests meet images whose originals training has met under other attacks.",
        "not at this size",
        "EDSR of Meta-AT 42.4 (40.8 to 44.1), of R-AT, which it starts from, 41.8 (40.1 to 43.5)",
        "digits, 1 seed, 20 episodes of each test",
        "stillproof run mad --dataset digits --scale quick",
    ),
)
