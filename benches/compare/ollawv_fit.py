"""How fast does OLLAWV train compared with sklearn.svm.SVC, and how accurate is it?

letter (gamma 4, SVC with C 16), adult (1/16, C 1), ijcnn1 (1, C 16), shuttle (16, C 64);
official training part, features scaled to [0, 1]. Accuracies are those of the official test
part: for OLLAWV with the margin of the timed fit (0.1), and with the best margin of the path,
which the test part selects, so that it is an upper bound.
"""

from __future__ import annotations

from sklearn.svm import SVC

import softmargin
from data import load
from harness import Comparison, parser

SETS = {"letter": (4, 16), "shuttle": (16, 64), "ijcnn1": (1, 16), "adult": (1 / 16, 1)}
MARGINS = [0.001, 0.003, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.4]


def main() -> None:
    options = parser(__doc__, dtype=True)
    options.add_argument("--sets", default=",".join(SETS), help="comma-separated names")
    arguments = options.parse_args()
    table = Comparison("Fit: softmargin.OLLAWV (margin 0.1) against sklearn.svm.SVC", arguments)
    for name in arguments.sets.split(","):
        gamma, C = SETS[name]
        split = load(name, arguments.dtype)
        ours = softmargin.OLLAWV(gamma=gamma, n_jobs=arguments.n_jobs)

        def describe(model, split=split):
            accuracy = model.score(split.X_test, split.y_test)
            return {"accuracy": float(accuracy), "vectors": len(model.support_)}

        table.run(
            name,
            lambda ours=ours, split=split: ours.fit(split.X, split.y),
            lambda split=split, C=C, gamma=gamma: SVC(C=C, gamma=gamma, cache_size=2000).fit(
                split.X, split.y
            ),
            describe_ours=describe,
            describe_peer=describe,
        )
        path = ours.margin_path(split.X, split.y, MARGINS)
        scores = [model.score(split.X_test, split.y_test) for model in path]
        best = max(range(len(MARGINS)), key=lambda k: scores[k])
        line = table.lines[-1]
        line.ours.facts |= {"best accuracy": scores[best], "best margin": MARGINS[best]}
        gap = line.peer.facts["accuracy"] - scores[best]
        print(
            f"{'':<28} best margin {MARGINS[best]}: accuracy {scores[best]:.4f}, "
            f"{len(path[best].support_)} vectors, {100 * gap:.2f} points below SVC",
            flush=True,
        )
    table.finish()


if __name__ == "__main__":
    main()
