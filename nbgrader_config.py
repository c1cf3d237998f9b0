"""The course as nbgrader sees it. What is not said here is nbgrader's default; each line says why it differs."""

import sys
from pathlib import Path

# A server that shows this course in the formgrader reads this file before it does so.
if "nbgrader.server_extensions.formgrader.formgrader" in sys.modules:
    from autograder.grading.formgrader import guard

    guard()

c = get_config()  # noqa: F821
root = Path(__file__).resolve().parent

c.CourseDirectory.root = str(root)
c.CourseDirectory.course_id = "rnns-to-bert"
c.CourseDirectory.source_directory = "solutions"
# Only notebooks are released and collected: the reference solutions lie beside their notebook.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "__pycache__", "*.py", "*.pyc", "*.safetensors"]
# A notebook is validated when all preprocessors have run, and not behind each of them.
c.Exporter.optimistic_validation = True
# nbgrader's own default is a folder of the whole machine.
exchange = root / "build" / "exchange"
exchange.mkdir(parents=True, exist_ok=True)
c.Exchange.root = str(exchange)

c.ClearSolutions.code_stub = {"python": "# Write your code here.\nraise NotImplementedError"}
c.ClearSolutions.text_stub = "*Write your answer here, in place of this line.*"
c.ForStudents.bibliography = str(root / "book" / "references.bib")
# Where the wheels of the chapters can be downloaded, such as https://NAME.github.io/COURSE/notebooks for the site that `autograder site`
# builds: the first cell of a notebook that lies beside none, as in Colab, then installs its own from there. `make notebooks` writes it in.
c.ForStudents.wheels = ""
c.GenerateAssignment.preprocessors = [
    "autograder.building.release.ForStudents",
    "nbgrader.preprocessors.ClearSolutions",
    "autograder.building.release.ForEachStudent",
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Submissions are read, run and scored by the autograder; nbgrader keeps the books.
c.Autograde.pre_convert_hook = "autograder.grading.collect.before_autograding"
# Once `autograder roster` has entered a class, a folder of another name does not become a student.
c.Autograde.create_student = not (root / ".autograder" / "roster-entered").exists()
c.Autograde.exporter_class = "autograder.grading.plugin.SubmissionExporter"
# What comes out of it has the release's own metadata: in both lists nbgrader's CheckCellMetadata, which validates that cell by cell,
# is left out. It took longer than to write the grades.
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
]
c.Autograde.autograde_preprocessors = [
    "autograder.grading.plugin.ExecuteInSandbox",
    "nbgrader.preprocessors.LimitOutput",
    "autograder.grading.plugin.SaveJudgedGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
]
# One page in one file, without a script; it says what nobody has read yet.
c.GenerateFeedback.exporter_class = "autograder.grading.feedback.FeedbackExporter"
c.GenerateFeedback.preprocessors = ["autograder.grading.feedback.GetGradesSoFar"]
