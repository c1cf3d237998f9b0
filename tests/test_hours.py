"""How long the course takes is what its chapters say, added up; and each way through it is a way."""

import re
from pathlib import Path

import pytest

from autograder.building.hours import hours, minutes_of, read_ways, read_weeks, total_minutes, ways_table, weeks_table
from autograder.checkout import Checkout
from autograder.declare import chapters, load_exercises, slug_of

CHECKOUT = Checkout(Path(__file__).resolve().parent.parent)
FRONT = (CHECKOUT.root / "book" / "intro.md").read_text(encoding="utf-8")
WAYS = read_ways(re.findall(r"^```\{ways\}\n(.*?)^```$", FRONT, re.MULTILINE | re.DOTALL)[0])

TEACHING = (CHECKOUT.root / "book" / "guide_teaching.md").read_text(encoding="utf-8")
SCHEDULES = [read_weeks(text) for text in re.findall(r"^```\{weeks\}\n(.*?)^```$", TEACHING, re.MULTILINE | re.DOTALL)]


def checkout_that_says(text: str, root: Path) -> Checkout:
    (root / "book").mkdir()
    (root / "book" / "ch41_apples.md").write_text(f"# Apples\n\n{text}\n\n## One\n", encoding="utf-8")
    return Checkout(root)


class TestMinutes:
    @pytest.mark.parametrize(
        ("time", "minutes"),
        [
            ("fifty minutes: thirty to read, twenty for the rest.", 50),
            ("half an hour.", 30),
            ("an hour: forty minutes to read, the rest to do.", 60),
            ("an hour and a half, all told.", 90),
            ("one and a half hours: one to read.", 90),
            ("eight hours: three to read,\nfive to do.", 480),
            ("three and a half\nhours: two to read.", 210),
            ("12 hours.", 720),
            ("twenty-five minutes.", 25),
        ],
    )
    def test_are_read_from_the_line(self, time, minutes, tmp_path):
        assert minutes_of(checkout_that_says(f"**Time:** about {time}", tmp_path), "ch41_apples") == minutes

    @pytest.mark.parametrize(
        "text", ["", "**Time:** quite long.", "**Time:** about many hours.", "**Time:** about five."]
    )
    def test_a_line_that_says_none_is_an_error_that_names_the_chapter(self, text, tmp_path):
        with pytest.raises(ValueError, match="ch41_apples does not say how long it takes"):
            minutes_of(checkout_that_says(text, tmp_path), "ch41_apples")

    @pytest.mark.parametrize("chapter", chapters())
    def test_a_chapter_takes_longer_than_its_exercises(self, chapter):
        assert minutes_of(CHECKOUT, chapter) > sum(exercise.minutes for exercise in load_exercises(chapter))

    @pytest.mark.parametrize(
        ("minutes", "said"), [(10, "½"), (50, "1"), (60, "1"), (90, "1½"), (210, "3½"), (3210, "53½"), (3220, "53½")]
    )
    def test_are_said_in_half_hours(self, minutes, said):
        assert hours(minutes) == said


class TestSchedules:
    @pytest.mark.parametrize(("schedule", "number"), [(0, 12), (1, 6)])
    def test_there_are_so_many_weeks_of_about_the_same_length(self, schedule: int, number: int) -> None:
        weeks = SCHEDULES[schedule]
        assert len(weeks) == number
        minutes = [week.reading_minutes(CHECKOUT) + week.exercise_minutes() for week in weeks]
        assert max(minutes) <= 2 * min(minutes)

    def test_what_is_left_out_takes_its_minutes_with_it(self) -> None:
        whole, without = read_weeks("seq2seq\nattention; without attend, AttentionDecoder")
        assert whole.exercise_minutes() + whole.reading_minutes(CHECKOUT) == minutes_of(CHECKOUT, "ch03_seq2seq")
        left_out = sum(
            one.minutes for one in load_exercises("ch05_attention") if one.name in ("attend", "AttentionDecoder")
        )
        assert without.exercise_minutes() == sum(one.minutes for one in load_exercises("ch05_attention")) - left_out

    def test_the_table_has_a_row_for_each_week_and_the_sums_below(self) -> None:
        weeks = SCHEDULES[0]
        _, *lines, _ = weeks_table(CHECKOUT, weeks, {}).splitlines()
        _, _, *body, sums = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line)
        assert [row[0] for row in body] == [str(number) for number in range(1, len(weeks) + 1)]
        assert "ch00_start.ipynb)<br>[ch01_rnn_lm]" in body[0][1]
        assert "`kneser_ney`" in body[0][2]
        total = sum(week.reading_minutes(CHECKOUT) + week.exercise_minutes() for week in weeks)
        assert sums[-1] == f"**{hours(total)}**"

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("seq2seq; without attend", "leaves out attend"),
            ("attention\nseq2seq", "not in the order of the book"),
            ("start\nstart", "not in the order of the book"),
            ("sequences", "names no chapter"),
        ],
    )
    def test_what_is_no_schedule_is_an_error(self, text: str, told: str) -> None:
        with pytest.raises(ValueError, match=re.escape(told)):
            read_weeks(text)

    @pytest.mark.parametrize("chapter", chapters())
    def test_the_sections_and_figures_that_a_lecture_shows_exist(self, chapter: str) -> None:
        (told,) = re.findall(
            rf"^### {{chapter}}`{slug_of(chapter)}`\n(.*?)(?=^###|\Z)",
            TEACHING,
            re.MULTILINE | re.DOTALL | re.IGNORECASE,
        )
        text = CHECKOUT.text(chapter).read_text(encoding="utf-8")
        sections = re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", told)
        assert sections
        assert [name for name in sections if f"\n## {name}\n" not in text] == []
        drawn = " ".join(text.replace("\\n", " ").split())
        assert [title for title in re.findall(r"“([^”]+(?:“[^”]+”[^”]*)?)”", told) if title not in drawn] == []


class TestWays:
    def test_there_are_three_and_one_is_everything(self):
        assert len(WAYS) == 3
        assert WAYS[-1].chapters == tuple(chapters())

    @pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
    def test_a_way_begins_at_the_start_and_goes_through_chapters_in_order(self, way):
        assert way.chapters[0] == chapters()[0]
        assert list(way.chapters) == [name for name in chapters() if name in way.chapters]

    @pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
    def test_its_hours_are_the_sum_of_those_of_its_chapters(self, way):
        assert total_minutes(CHECKOUT, way.chapters) == sum(minutes_of(CHECKOUT, name) for name in way.chapters)

    def test_the_table_has_each_chapter_where_it_is_on_the_way_and_the_sums_below(self):
        _, *lines, _ = ways_table(CHECKOUT, WAYS, {name: slug_of(name) for name in chapters()}).splitlines()
        head, _, *body, sums = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line)
        assert head[1:] == [way.name for way in WAYS]
        assert [row[0] for row in body] == [f"[{slug_of(name)}]({name}.ipynb)" for name in chapters()]
        for column, way in enumerate(WAYS, start=1):
            assert [row[column] for row in body] == [
                hours(minutes_of(CHECKOUT, name)) if name in way.chapters else "" for name in chapters()
            ]
            assert sums[column] == f"**{hours(total_minutes(CHECKOUT, way.chapters))}**"

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("Attention", "a way is `Name: chapter, chapter`"),
            ("Attention: start, atention", "names no chapter"),
            ("Attention: attention, start", "not in the order of the book"),
            ("Attention: start, start", "not in the order of the book"),
        ],
    )
    def test_what_is_no_way_is_an_error(self, line, told):
        with pytest.raises(ValueError, match=re.escape(told)):
            read_ways(line)

    def test_sections_that_may_be_left_out_exist(self):
        section = FRONT.partition("## Three ways")[2].partition("\n## ")[0]
        headings = {
            line for name in chapters() for line in CHECKOUT.text(name).read_text(encoding="utf-8").splitlines()
        }
        named = re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", section)
        assert named
        assert {f"## {name}" for name in named} <= headings
