"""What the checks promise: right code keeps all points, each mistake is named by its own check, and nothing else passes."""

import inspect
import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.asking.draw import PUBLIC_SEED
from autograder.asking.probing import FORBIDDEN, Answer, Slipped, probes_of, run_probe, seeds
from autograder.asking.serialization import Foreign, NotPlainError, decode, encode
from autograder.building.mistakes import numberless, outcomes_of, read_told
from autograder.declare import USE_NAME, Check, ExerciseChecks, Probe, chapters, is_use, key, load_checks
from autograder.judging.compare import difference, in_kind_of, same_kind, with_all_digits, works_in_use
from autograder.judging.expected_answers import answers_bytes, read_answers
from autograder.judging.known_mistakes import known_causes
from autograder.judging.outcomes import judge_exercise
from autograder.judging.reference import load_reference, reference_answer, reference_answers
from autograder.judging.verdict import Outcome, Status, passed
from autograder.notebook.report import as_html, as_text, sentence
from autograder.samples.course import all_visible_points
from autograder.samples.seeds import drawn, restart, secret
from tests import students

SOLUTIONS = Path(__file__).parent.parent / "solutions"
SECRET = secret("answers")
CHAPTERS = chapters()
EXERCISES = {exercise.exercise.name: exercise for chapter in CHAPTERS for exercise in load_checks(chapter)}
REFERENCES = {chapter: load_reference(SOLUTIONS, chapter) for chapter in CHAPTERS}

every_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES.keys())


STUDENTS = students.modules()
TOLD = read_told()


def reference_of(exercise: ExerciseChecks) -> Any:
    return getattr(REFERENCES[exercise.chapter], exercise.exercise.name)


@cache
def wanted(exercise: ExerciseChecks, secret: str) -> dict[str, list[Any]]:
    """The reference's answers as they are recorded, their keys in whatever order the record has them; under the public seed, the record itself."""
    known = recorded(exercise.chapter) if secret == PUBLIC_SEED else {}
    others = only(exercise, {check.name for check in exercise.checks if key(check.probe) not in known})
    return known | decode(encode(reference_answers(REFERENCES[exercise.chapter], [others], secret)))


@dataclass(frozen=True)
class Asked:
    """Answers to a probe, each asked for once, when a judge comes to it: it looks at none behind the first that is wrong."""

    probe: Probe
    subject: Any
    secret: str
    given: list[Answer] = field(default_factory=list)

    def __len__(self) -> int:
        return self.probe.draws

    def __iter__(self) -> Iterator[Answer]:
        for draw, seed in enumerate(seeds(self.probe, self.secret)):
            if draw == len(self.given):
                self.given.append(run_probe(self.probe, self.subject, seed, watched=not draw))
            yield self.given[draw]


recorded = cache(read_answers)


def asked(exercise: ExerciseChecks, subject: Any, secret: str) -> dict[str, Asked]:
    return {key(probe): Asked(probe, subject, secret) for probe in probes_of(exercise.checks)}


def judge(exercise: ExerciseChecks, got: dict[str, Asked], secret: str) -> list[Outcome]:
    """How the checks end; by the public seed as in a notebook, with the causes that are known of numbers."""
    restart()
    causes = {"causes": known_causes(exercise.chapter)} if secret == PUBLIC_SEED else {}
    with redirect_stdout(io.StringIO()):
        return judge_exercise(exercise, got, wanted(exercise, secret), **causes)


@cache
def in_notebook(exercise: ExerciseChecks, subject: Any) -> list[Outcome]:
    return judge(exercise.visible, asked(exercise.visible, subject, PUBLIC_SEED), PUBLIC_SEED)


@cache
def graded(exercise: ExerciseChecks, subject: Any, name: str = "") -> list[Outcome]:
    """How checks end under a secret seed: the hidden ones, the one that is to name a mistake, of those that a notebook asks one that is drawn,
    and what those that are missed may build on. Where that is not as it should be, all checks have a say.
    """
    got = asked(exercise, subject, SECRET)
    others = [check.name for check in exercise.checks if not (check.hidden or is_use(check) or check.name == name)]
    more = {name, *(check.name for check in exercise.checks if check.hidden)}
    more.update(drawn(getattr(subject, "__name__", "")).sample(others, min(1, len(others))))
    names: set[str] = set()
    while more:
        names |= more
        outcomes = judge(only(exercise, names), got, SECRET)
        lost = missed(outcomes)
        building = [check for check in exercise.checks if check.name in lost and (check.hidden or check.name != name)]
        more = {need for check in building for need in check.needs} - names
    return judge(exercise, got, SECRET) if any(misnamed(exercise, outcomes, name)) else outcomes


def only(exercise: ExerciseChecks, names: set[str]) -> ExerciseChecks:
    return replace(exercise, checks=tuple(check for check in exercise.checks if check.name in names))


def judged_twice(exercise: ExerciseChecks, subject: Any, name: str = "") -> dict[str, list[Outcome]]:
    """What a student's answer gets by the seed; the name is that of the check that is to name a mistake."""
    return {PUBLIC_SEED: in_notebook(exercise, subject), SECRET: graded(exercise, subject, name)}


def earned(outcomes: list[Outcome]) -> int:
    return sum(outcome.earned for outcome in outcomes)


def missed(outcomes: list[Outcome]) -> dict[str, Outcome]:
    return {outcome.name: outcome for outcome in outcomes if outcome.status is not Status.PASSED}


def passes(check: Check, got: Any, want: Any) -> bool:
    """Whether the check lets one answer pass where another is wanted."""
    return not same_kind(got, want, any_length=check.any_length) and check.judge(got, want).ok


def uses(exercise: ExerciseChecks) -> set[str]:
    """The names of the checks that are the same for every exercise."""
    return {check.name for check in exercise.checks if is_use(check)}


class TestDeclarations:
    def test_exercise_names_are_unique_in_the_book(self):
        assert len(EXERCISES) == sum(len(load_checks(chapter)) for chapter in CHAPTERS)

    @every_exercise
    def test_check_names_are_unique_in_the_exercise(self, exercise):
        names = [check.name for check in exercise.checks]
        assert len(set(names)) == len(names)

    @every_exercise
    def test_some_checks_are_visible_and_some_hidden(self, exercise):
        assert {check.hidden for check in exercise.checks} == {True, False}

    @every_exercise
    def test_needs_name_checks_that_come_before_and_can_be_seen_from_there(self, exercise):
        before: dict[str, Check] = {}
        for check in exercise.checks:
            assert set(check.needs) <= before.keys()
            assert check.hidden or not any(before[name].hidden for name in check.needs)
            before[check.name] = check

    @every_exercise
    def test_points_are_whole_and_every_check_has_a_hint(self, exercise):
        for check in exercise.checks:
            assert type(check.points) is int
            assert check.points >= 1
            assert check.hint, check.name

    @every_exercise
    def test_the_probes_belong_to_the_exercise(self, exercise):
        assert {check.probe.exercise for check in exercise.checks} == {exercise.exercise.name}

    @every_exercise
    def test_difficulty_and_minutes_are_told(self, exercise):
        assert exercise.exercise.difficulty in (1, 2, 3)
        assert exercise.exercise.minutes > 0


@pytest.mark.drawn
class TestReference:
    @every_exercise
    def test_keeps_all_visible_points_against_the_recorded_answers(self, exercise):
        outcomes = in_notebook(exercise, reference_of(exercise))
        assert [outcome.name for outcome in outcomes] == [check.name for check in exercise.visible.checks]
        assert earned(outcomes) == exercise.visible.points

    @every_exercise
    def test_keeps_all_points_under_a_secret_seed_and_gives_the_same_answers_twice(self, exercise):
        got = asked(exercise, reference_of(exercise), SECRET)
        assert earned(judge(exercise, got, SECRET)) == exercise.points, SECRET
        assert encode({name: [*given] for name, given in got.items()}) == encode(wanted(exercise, SECRET)), SECRET

    def test_recording_twice_gives_the_same_bytes(self):
        chapter = drawn("recording").choice(CHAPTERS)
        assert answers_bytes(SOLUTIONS, chapter) == answers_bytes(SOLUTIONS, chapter), chapter

    @pytest.mark.parametrize("chapter", CHAPTERS)
    def test_no_hidden_answer_is_recorded(self, chapter):
        visible = {key(c.probe) for e in load_checks(chapter) for c in e.checks if not c.hidden}
        assert recorded(chapter).keys() == visible

    @every_exercise
    def test_answer_depends_on_the_seed(self, exercise):
        """Each draw is another under another seed. A single number is the same under two now and then, by chance: more are asked."""
        for check in exercise.checks:
            pairs = zip(*(wanted(exercise, secret)[key(check.probe)] for secret in (SECRET, PUBLIC_SEED)), strict=True)
            for index, (one, other) in enumerate(pairs):
                assert not passes(check, one, other) or any(
                    not passes(check, one, reference_answer(REFERENCES[exercise.chapter], check.probe, seed))
                    for more in range(4)
                    for seed in seeds(check.probe, f"more {more}")[index : index + 1]
                ), (check.name, SECRET)

    @every_exercise
    def test_every_draw_is_another(self, exercise):
        for name, answers in wanted(exercise, SECRET).items():
            assert len({encode(answer) for answer in answers}) == len(answers) >= 2, (name, SECRET)


@pytest.mark.drawn
class TestPointsInProportion:
    """What gives wrong numbers in ordinary use costs more than a slip of form, which costs one check, and one of the cheapest."""

    @every_exercise
    def test_half_of_the_points_are_visible(self, exercise):
        assert 2 * exercise.visible.points >= exercise.points

    @every_exercise
    def test_a_slip_of_form_costs_one_check(self, exercise):
        want = wanted(exercise, SECRET)
        slipped = {probe: [Slipped(answer, "it is a tuple") for answer in given] for probe, given in want.items()}
        (outcome,) = missed(judge_exercise(exercise, slipped, want)).values()
        assert outcome.points == slip_costs(exercise)
        assert (outcome.message, outcome.hidden) == ("it is a tuple", False)

    def test_a_form_that_only_some_probes_meet_costs_one_check(self):
        exercise = EXERCISES["MultiHeadAttention"]

        class Listed(reference_of(exercise)):
            def look_up(self, *given):
                return list(super().look_up(*given))

        lost = missed(graded(exercise, Listed))
        assert [name for name, outcome in lost.items() if "a list, expected a tuple" in outcome.message] == [*lost]
        assert len(lost) == 1

    @pytest.mark.parametrize(
        ("name", "decimals"),
        [
            ("perplexity", 2),
            ("perplexity", 3),
            ("alignment_error_rate", 2),
            ("alignment_error_rate", 3),
            ("brevity_penalty", 3),
            ("corpus_bleu", 1),
            ("sentence_bleu", 2),
        ],
    )
    def test_a_rounded_result_costs_one_check(self, name, decimals):
        exercise = EXERCISES[name]
        reference = reference_of(exercise)

        def rounded(*given):
            return round(reference(*given), decimals)

        (outcome,) = missed(graded(exercise, rounded)).values()
        assert outcome.points == slip_costs(exercise)
        assert outcome.message.startswith("the result is rounded, expected all of its digits")

    def test_a_rounded_percentage_beside_tensors_costs_one_check(self):
        exercise = EXERCISES["paired_bootstrap"]
        reference = reference_of(exercise)

        def rounded(*given):
            first, second, wins = reference(*given)
            return first, second, round(wins, 1)

        (outcome,) = missed(graded(exercise, rounded)).values()
        assert "rounded" in outcome.message

    def test_single_precision_where_double_is_expected_costs_one_check(self):
        exercise = EXERCISES["paired_bootstrap"]
        reference = reference_of(exercise)

        def single(*given):
            first, second, wins = reference(*given)
            return first.float(), second.float(), wins

        (outcome,) = missed(graded(exercise, single)).values()
        assert "has dtype float32, expected float64" in outcome.message

    @pytest.mark.parametrize(
        ("name", "slip"),
        [
            ("dequantize_q4_1", "masked_with_7"),
            ("dequantize_q4_1", "divided_by_fifteen"),
            ("SwiGLU", "Relu"),
            ("SwiGLU", "SigmoidAlone"),
            ("top_p_filter", "drops_the_crossing"),
            ("top_p_filter", "one_too_many"),
            ("clip_gradients_", "a_little_more_below"),
            ("clip_gradients_", "no_root"),
            ("GRUCell", "UpdateSwapped"),
            ("GRUCell", "UpdateFirst"),
            ("LSTMCell", "ForgetUpsideDown"),
            ("LSTMCell", "CellWithoutTanh"),
            ("masked_lm_loss", "over_all_places"),
            ("masked_lm_loss", "summed"),
            ("masked_cross_entropy", "summed"),
            ("label_smoothed_loss", "in_bits"),
            ("answer_only_loss", "summed"),
            ("policy_gradient_loss", "wrong_sign"),
            ("clipped_ratio_loss", "summed"),
            ("multiplicative_scores", "scaled"),
            ("additive_scores", "averaged"),
            ("dpo_loss", "exchanged"),
            ("dpo_loss", "summed_pairs"),
            ("dpo_loss", "beta_outside"),
            ("dpo_loss", "wrong_sign"),
            ("accuracy_by_length", "in_percent"),
            ("position_probe", "in_percent"),
            ("alignment_error_rate", "in_percent"),
            ("brevity_penalty", "in_percent"),
            ("rotate", "off_by_one"),
            ("RMSNorm", "SumOfSquares"),
            ("rnn_step", "input_weight_transposed"),
            ("rnn_step", "state_weight_transposed"),
            ("sentence_bleu", "adds_one_everywhere"),
            ("sentence_bleu", "add_k"),
            ("kneser_ney", "raw_counts"),
            ("kneser_ney", "uniform_forgotten"),
            ("kneser_ney", "not_given_back"),
        ],
    )
    def test_an_early_slip_leaves_a_quarter_of_the_points(self, name, slip):
        exercise = EXERCISES[name]
        outcomes = judge(exercise, asked(exercise, getattr(STUDENTS[name], slip), SECRET), SECRET)
        assert 4 * sum(outcome.earned for outcome in outcomes) >= exercise.points


class TestRounded:
    @pytest.mark.parametrize("got", [[0.38, 12.5], [0.4, 12.5], [torch.tensor(0.38), 12.5]])
    def test_numbers_get_their_digits_back(self, got):
        want = [torch.tensor(0.3846) if isinstance(got[0], torch.Tensor) else 0.3846, 12.5]
        assert with_all_digits({"rates": got, "name": "one"}, {"rates": want, "name": "one"})["rates"] == want

    @pytest.mark.parametrize(
        ("got", "want"),
        [
            ([0.39], [0.3846]),
            ([0.385, 0.47], [0.3846, 0.4812]),
            ([0.3847], [0.3846123]),
            ([1.0], [0.93]),
            ([9.682163], [9.6821644]),
            ([0.5], [0.4162]),
            ([0.38], [float("nan")]),
            (["0.38"], ["0.3846"]),
            ([torch.tensor([0.38])], [torch.tensor([0.3846])]),
        ],
        ids=str,
    )
    def test_others_do_not(self, got, want):
        assert with_all_digits(got, want) is None


def slip_costs(exercise: ExerciseChecks) -> int:
    """What a result of another form costs that says the same."""
    return min(check.points for check in exercise.visible.checks if not is_use(check))


class TestStub:
    @every_exercise
    def test_unfilled_is_not_attempted_and_earns_nothing(self, exercise):
        outcomes = judge(exercise, asked(exercise, stub_of(exercise), PUBLIC_SEED), PUBLIC_SEED)
        assert {outcome.status for outcome in outcomes} == {Status.NOT_ATTEMPTED}
        assert earned(outcomes) == 0

    def test_torchs_own_not_implemented_is_an_error(self):
        outcomes = in_notebook(EXERCISES["masked_softmax"], lambda scores, mask: mask.softmax(-1))
        assert outcomes[0].status is Status.ERROR
        assert "not implemented for 'Bool'" in outcomes[0].message


def stub_of(exercise: ExerciseChecks) -> Any:
    """The exercise as it is handed out: of a class, the part that is given, with its other methods unfilled."""
    reference = reference_of(exercise)
    if not inspect.isclass(reference):
        return unfilled
    given = STUDENTS[exercise.exercise.name].Given
    methods = [name for name, value in vars(reference).items() if inspect.isfunction(value) and name not in vars(given)]
    assert methods
    return type(exercise.exercise.name, (given,), dict.fromkeys(methods, unfilled))


def unfilled(*args: Any, **kwargs: Any) -> None:
    raise NotImplementedError()


def forbidden_answers() -> list[Any]:
    return [
        pytest.param(EXERCISES[name], subject, id=f"{name}: {subject.__name__}")
        for name, module in STUDENTS.items()
        for subject in getattr(module, "FORBIDDEN", ())
    ]


@pytest.mark.drawn
class TestStudents:
    def test_every_exercise_has_wrong_and_right_answers(self):
        assert STUDENTS.keys() == EXERCISES.keys()
        assert all(module.WRONG and len(module.RIGHT) >= 3 for module in STUDENTS.values())

    @every_exercise
    def test_every_check_is_failed_by_a_mistake_of_its_own(self, exercise):
        named = set(STUDENTS[exercise.exercise.name].WRONG.values())
        without = {check.name for check in exercise.checks} - uses(exercise) - named
        assert not without, f"WRONG needs a mistake for each of these checks: {', '.join(sorted(without))}"
        assert named <= {check.name for check in exercise.checks}

    @every_exercise
    def test_mistake_fails_the_check_that_names_it_and_what_builds_on_that(self, exercise):
        faults = [
            f"{subject.__name__}, seed {seed}: {fault}"
            for subject, name in STUDENTS[exercise.exercise.name].WRONG.items()
            for seed, outcomes in judged_twice(exercise, subject, name).items()
            for fault in misnamed(exercise, outcomes, name)
        ]
        assert not faults, "\n".join(faults)

    @every_exercise
    def test_whoever_fails_in_use_loses_more(self, exercise):
        for subject, name in STUDENTS[exercise.exercise.name].WRONG.items():
            hidden = [outcome for outcome in graded(exercise, subject, name) if outcome.hidden]
            lost = missed([*in_notebook(exercise, subject), *hidden])
            if USE_NAME in lost:
                assert sum(outcome.points for outcome in lost.values()) > slip_costs(exercise), subject.__name__

    @every_exercise
    def test_mistake_is_told_in_one_short_paragraph(self, exercise):
        for subject, name in STUDENTS[exercise.exercise.name].WRONG.items():
            outcome = missed(graded(exercise, subject, name))[name]
            told = (subject.__name__, outcome.message)
            assert outcome.status in (Status.FAILED, Status.ERROR), told
            assert outcome.message, told
            assert outcome.message != outcome.hint, told
            assert len(outcome.message) < 450, told
            assert "this builds on" not in outcome.message, told

    @every_exercise
    def test_mistake_is_told_what_is_written_down(self, exercise):
        """Made by `autograder mistakes`, and read: what a message says is looked at when it becomes another."""
        visible = {check.name for check in exercise.visible.checks}
        told = {
            subject.__name__: numberless(missed(in_notebook(exercise, subject))[name].message)
            for subject, name in STUDENTS[exercise.exercise.name].WRONG.items()
            if name in visible
        }
        assert told == TOLD[exercise.exercise.name]

    @every_exercise
    def test_report_shows_of_a_hidden_check_its_name_and_hint_alone(self, exercise):
        for subject, name in STUDENTS[exercise.exercise.name].WRONG.items():
            outcomes = graded(exercise, subject, name)
            missed_here = missed(outcomes)[name]
            if missed_here.hidden:
                told = replace(missed_here, message=f"the message {SECRET}")
                outcomes = [told if outcome is missed_here else outcome for outcome in outcomes]
                texts = [as_text(exercise, outcomes), as_html(exercise, outcomes)]
                assert not any(SECRET in text for text in texts)
                assert name in texts[0]
                assert told.hint in texts[0]

    @every_exercise
    def test_right_answer_of_any_style_keeps_all_points(self, exercise):
        faults = [
            f"{style}, seed {seed}: the check “{outcome.name}” says {outcome.message}"
            for style, subject in STUDENTS[exercise.exercise.name].RIGHT.items()
            for seed, outcomes in judged_twice(exercise, subject).items()
            for outcome in missed(outcomes).values()
        ]
        assert not faults, "\n".join(faults)

    @pytest.mark.parametrize(("exercise", "subject"), forbidden_answers())
    def test_what_an_exercise_forbids_earns_nothing(self, exercise, subject):
        for outcomes in (in_notebook(exercise, subject), judge(exercise, asked(exercise, subject, SECRET), SECRET)):
            assert earned(outcomes) == 0
            told = {outcome.message for outcome in outcomes}
            assert len(told) == 1
            assert told <= FORBIDDEN


def misnamed(exercise: ExerciseChecks, outcomes: list[Outcome], name: str) -> Iterator[str]:
    """What is wrong with how the checks end for a mistake that one of them is to name."""
    found = missed(outcomes)
    if name not in found and name in {outcome.name for outcome in outcomes}:
        yield f"the check “{name}” passes this mistake: draw inputs in its probe on which the mistake shows"
    for other in found.keys() - {name}:
        first = first_missed(exercise, other, found)
        if first:
            if found[other].message != f"this builds on “{first}”: fix that first":
                yield f"the check “{other}” does not say that it builds on “{first}”: {found[other].message}"
        # What is made for a hidden check may well be met in use, and the other way round.
        elif other not in uses(exercise) and not (name in uses(exercise) and found[other].hidden):
            yield (
                f"the check “{other}” fails too: {found[other].message}. Draw inputs in its probe on which this mistake does not "
                f"show or, if there are none, add “{name}” to its judge's needs"
            )


def first_missed(exercise: ExerciseChecks, name: str, found: dict[str, Outcome]) -> str:
    """The first check that was missed of those that another needs; empty if there is none."""
    needs = next(check.needs for check in exercise.checks if check.name == name)
    return next((need for need in needs if need in found), "")


class TestReports:
    @every_exercise
    def test_says_how_many_hidden_checks_are_to_come(self, exercise):
        visible = in_notebook(exercise, reference_of(exercise))
        hidden = sum(check.hidden for check in exercise.checks)
        closing = (
            f"{hidden} hidden checks run when it is graded." if hidden > 1 else "1 hidden check runs when it is graded."
        )
        for expected in (all_visible_points(exercise), closing):
            assert expected in as_text(exercise, visible)
            assert expected in as_html(exercise, visible)

    def test_what_came_from_a_student_cannot_be_markup(self):
        exercise = EXERCISES["attend"]
        outcomes = in_notebook(exercise, lambda *_: raise_value_error("<script>alert(1)</script>"))
        html = as_html(exercise, outcomes)
        assert "<script>" not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html

    def test_relies_on_no_background_and_not_on_colour_alone(self):
        exercise = EXERCISES["attend"]
        html = as_html(exercise, in_notebook(exercise, lambda *_: None))
        assert "background" not in html
        assert "✗" in html

    def test_only_words_get_a_capital_letter(self):
        texts = (
            "ε is squared",
            "k is limited",
            "j f d became j fd",
            "self.rotate was given",
            "a word is lost",
            "the end",
        )
        assert [sentence(text) for text in texts] == [*texts[:4], "A word is lost", "The end"]

    def test_grader_fault_is_not_laid_at_the_students_door(self):
        exercise = EXERCISES["attend"]
        outcomes = in_notebook(exercise, lambda *_: None)
        fault = replace(outcomes[0], status=Status.GRADER_FAULT, message="KeyError: secret")
        assert "This is an error in the course" in as_text(exercise, [fault])
        assert "secret" not in as_text(exercise, [fault])


class TestWords:
    @pytest.mark.parametrize(
        ("got", "want", "told"),
        [
            ({"rate": [0.25, 0.5]}, {"rate": [0.25, 0.375]}, "rate: came back [0.25, 0.5], expected [0.25, 0.375]"),
            (0.01701, 0.3371, "came back 0.01701, expected 0.3371"),
            (0.28131, 0.28134, "came back 0.28131, expected 0.28134"),
            (float("nan"), 0.5, "came back NaN, expected 0.5"),
            ({"words": [1, 2]}, {"words": [1, 2, 3]}, "words: came back [1, 2], expected [1, 2, 3]"),
            ([True, torch.ones(2)], [False, torch.ones(2)], "item 0: came back True, expected False"),
            (torch.tensor(2.0), torch.tensor(3.0), "came back 2, expected 3"),
            (
                torch.tensor([[0.5, 1.0], [0.25, 0.5]]),
                torch.tensor([[0.5, 1.0], [0.5, 0.25]]),
                "2 of 4 values differ, most in row [1]: came back [0.25, 0.5], expected [0.5, 0.25], as if the right values were in a different order",
            ),
            (torch.zeros(20), torch.ones(20), "20 of 20 values differ, most at [0]: came back 0, expected 1"),
        ],
    )
    def test_what_came_back_and_what_was_expected_stand_side_by_side(self, got, want, told):
        assert difference(got, want) == told

    def test_the_results_of_a_call_are_named_in_words(self):
        call, ones = "call 1, in training", torch.ones(2)
        got, want = ({"calls": {call: [ones, ones, finished]}} for finished in (False, True))
        told = works_in_use({**got, "something is kept": False}, want).message
        assert told == "call 1, in training: the third result: came back False, expected True."

    def test_an_explanation_that_says_what_the_mistake_says_is_left_out(self):
        listed = students.answers_to("corpus_bleu")
        said = {outcome.message for outcome in outcomes_of(EXERCISES["corpus_bleu"], listed.not_a_number)}
        assert listed.SENTENCES[listed.not_a_number] in said


class TestKinds:
    @pytest.mark.parametrize("got", [[], [7], [7, 8], [7, 8, 9, 10]])
    def test_lists_of_any_length_are_of_one_kind_where_a_check_says_so(self, got):
        assert same_kind({"words": got}, {"words": [1, 2]}, any_length=True) == ""

    def test_otherwise_they_are_as_long_as_the_reference(self):
        assert same_kind({"words": [7]}, {"words": [1, 2]}) == "words is [7], expected [1, 2]"

    @pytest.mark.parametrize(
        ("got", "told"),
        [
            ([7, 8, "nine"], "item 2 of words is of type str, expected of type int"),
            ([7, None], "item 1 of words is None, expected of type int"),
            ([7, [8]], "item 1 of words is a list of 1, expected of type int"),
            ((7, 8), "words is a tuple of 2, expected a list of 2"),
            (torch.tensor([7, 8]), "words is an int64 tensor of shape (2,), expected a list of 2"),
        ],
    )
    def test_what_is_in_them_is_looked_at(self, got, told):
        assert same_kind({"words": got}, {"words": [1, 2]}, any_length=True) == told

    def test_what_an_empty_one_may_hold_is_for_the_judge_to_say(self):
        assert same_kind([1, "two"], [], any_length=True) == ""

    def test_lists_in_lists_may_have_any_length_too(self):
        assert same_kind([[1], [], [2, 3, 4]], [[1, 2]], any_length=True) == ""
        assert (
            same_kind([[1], [2, "three"]], [[1, 2]], any_length=True)
            == "item 1 of item 1 of the result is of type str, expected of type int"
        )

    @pytest.mark.parametrize(("any_length", "status"), [(True, Status.PASSED), (False, Status.FAILED)])
    def test_a_judge_sees_lists_of_another_length_if_it_takes_them(self, any_length, status):
        base = EXERCISES["attend"]
        check = replace(base.checks[0], judge=lambda got, want: passed(), any_length=any_length)
        name = key(check.probe)
        (outcome,) = judge_exercise(replace(base, checks=(check,)), {name: [[1, 2, 3]]}, {name: [[1, 2]]})
        assert outcome.status is status


def raise_value_error(message: str) -> None:
    raise ValueError(message)


Tree = Callable[[Any], Any]


def each_leaf(change: Tree) -> Tree:
    """The change, made to every leaf of a tree."""

    def changed(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {name: changed(item) for name, item in tree.items()}
        if isinstance(tree, list):
            return [changed(item) for item in tree]
        return change(tree)

    return changed


def each_tensor(change: Tree) -> Tree:
    """The change, made to every tensor of a tree; another leaf becomes a tensor."""
    return each_leaf(lambda leaf: change(leaf if isinstance(leaf, Tensor) else torch.ones(2)))


def filled(value: float) -> Tree:
    """Every number becomes this one; of what is no number, the contrary."""

    def change(leaf: Any) -> Any:
        if isinstance(leaf, Tensor):
            return torch.full_like(leaf, value) if leaf.is_floating_point() else ~leaf
        return value if isinstance(leaf, float) else contrary(leaf)

    return each_leaf(change)


def spoilt(leaf: Any) -> Any:
    """One NaN, or where none can be one other value."""
    if isinstance(leaf, Tensor) and leaf.numel():
        first = (0,) * leaf.dim()
        leaf = leaf.clone()
        leaf[first] = float("nan") if leaf.is_floating_point() else ~leaf[first]
        return leaf
    return float("nan") if isinstance(leaf, float) else contrary(leaf)


def contrary(leaf: Any) -> Any:
    if isinstance(leaf, bool):
        return not leaf
    return ~leaf if isinstance(leaf, (int, Tensor)) else f"no {leaf}"


def nested(tree: Any, depth: int = 200) -> Any:
    for _ in range(depth):
        tree = [tree]
    return tree


HOSTILE: dict[str, Tree] = {
    "NaN": filled(float("nan")),
    "infinity": filled(float("inf")),
    "minus infinity": filled(float("-inf")),
    "huge": filled(6e4),
    "tiny": filled(-1e-30),
    "one NaN": each_leaf(spoilt),
    "zeros": each_leaf(lambda leaf: torch.zeros_like(leaf) if isinstance(leaf, Tensor) else type(leaf)()),
    "one dimension more": each_tensor(lambda t: t.unsqueeze(0)),
    "flat": each_tensor(lambda t: t.flatten()[:1]),
    "nothing in it": each_tensor(lambda t: t.flatten()[:0]),
    "many dimensions": each_tensor(lambda t: t[(None,) * 50]),
    "integers": each_tensor(lambda t: t.to(torch.int64)),
    "doubles": each_tensor(lambda t: t.double()),
    "booleans": each_tensor(lambda t: t.bool()),
    "foreign": each_leaf(lambda leaf: Foreign("x" * 10_000)),
    "strings": each_leaf(lambda leaf: "1.0"),
    "a large whole number": each_leaf(lambda leaf: 10**1000),
    "lists": each_leaf(lambda leaf: [1.0, 2.0]),
    "None inside": each_leaf(lambda leaf: None),
    "no key": lambda tree: {},
    "more keys": lambda tree: {**tree, "more": 1},
    "other keys": lambda tree: {name + "\0": item for name, item in tree.items()},
    "a list": lambda tree: list(tree.values()),
    "None": lambda tree: None,
    "True": lambda tree: True,
    "a string": lambda tree: "passed",
    "foreign whole": lambda tree: Foreign("Verdict"),
    "a status": lambda tree: {"status": "passed", "message": ""},
    "deep": nested,
    "deep inside": each_leaf(nested),
}


@pytest.mark.drawn
class TestHostileAnswers:
    @every_exercise
    def test_fails_and_nothing_else(self, exercise):
        want = wanted(exercise, SECRET)
        in_bytes = encode(want)
        for name, change in HOSTILE.items():
            got = {probe: [change(answer) for answer in given] for probe, given in want.items()}
            outcomes = judge_exercise(exercise, got, want)
            for check, outcome in zip(exercise.checks, outcomes, strict=True):
                assert len(outcome.message) <= 1000
                sent, right = got[key(check.probe)], want[key(check.probe)]
                told = (name, outcome.name, outcome.message, SECRET)
                if outcome.status is not Status.FAILED:  # Booleans that are made booleans are right answers.
                    pairs = zip(sent, right, strict=True)
                    assert all(passes(check, in_kind_of(one, other), other) for one, other in pairs), told
            assert earned(outcomes) < exercise.points or encode(got) == in_bytes, (name, SECRET)

    @every_exercise
    def test_too_few_or_too_many_answers_earn_nothing(self, exercise):
        want = wanted(exercise, SECRET)
        for got in (
            {},
            {name: given[:1] for name, given in want.items()},
            {name: given * 2 for name, given in want.items()},
        ):
            assert earned(judge_exercise(exercise, got, want)) == 0

    @every_exercise
    def test_answers_to_the_public_seed_earn_nothing_under_a_secret(self, exercise):
        got = wanted(exercise, PUBLIC_SEED)
        assert earned(judge_exercise(exercise, got, wanted(exercise, SECRET))) == 0

    def test_a_number_beyond_every_float_is_no_grader_fault(self):
        with pytest.raises(NotPlainError):
            decode(b"")
        huge = decode(encode({"value": 10**1000}))
        check = Check("any", "a number", EXERCISES["attend"].checks[0].probe, 1, "hint", lambda got, want: want)
        exercise = replace(EXERCISES["attend"], checks=(check,))
        name = key(check.probe)
        (outcome,) = judge_exercise(exercise, {name: [huge]}, {name: [{"value": 1.0}]})
        assert outcome.status is Status.FAILED
