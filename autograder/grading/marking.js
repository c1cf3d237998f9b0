// Adds keys to the page on which an answer is marked, counts the items of the rubric, and uses comments and points again by a click. Without it the page works by its forms.
"use strict";

const form = document.querySelector("#mark");
const points = document.querySelector("#points");
const comment = document.querySelector("#comment");
const typed = () => [points.value, comment.value].join("\n");
// What could not be saved comes back as it was typed, and is not saved yet.
const saved = document.querySelector("#reason") ? null : typed();
let leaves = false;

const items = [...document.querySelectorAll("[name=item]")];
const count = () => { points.value = items.filter((item) => item.checked).length; };
for (const item of items) item.addEventListener("change", count);

function tick(number) {
    for (const item of items) if (number === 0) item.checked = false;
    if (number > 0) items[number - 1].checked = !items[number - 1].checked;
    count();
}

function same(answer) {
    points.value = answer.dataset.points;
    comment.value = answer.dataset.comment;
    for (const item of items) item.checked = false;
    points.focus();
}

for (const button of document.querySelectorAll(".same")) {
    button.disabled = false;
    button.addEventListener("click", () => same(button));
}

function use(remark) {
    const before = comment.value.trimEnd();
    comment.value = before ? `${before}\n\n${remark}` : remark;
    comment.focus();
}

for (const button of document.querySelectorAll(".used button")) {
    button.disabled = false;
    button.addEventListener("click", () => use(button.textContent));
}

const follow = (kind) => () => document.querySelector(`a[rel=${kind}]`)?.click();
const keys = {
    KeyN: follow("next"),
    KeyP: follow("prev"),
    KeyA: () => document.querySelector("#answer").focus(),
    KeyG: () => points.select(),
    KeyC: () => comment.focus(),
    KeyR: () => document.querySelector(".used button")?.focus(),
    KeyS: () => document.querySelector(".same")?.click(),
    KeyU: () => document.querySelector("#undo")?.click(),
};
const isTyped = (box) => box.matches("textarea, select, input:not([type=checkbox])");

document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        form.requestSubmit();
    } else if (event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.code in keys) {
        event.preventDefault();
        keys[event.code]();
    } else if (!event.altKey && !event.ctrlKey && !event.metaKey && !isTyped(event.target)) {
        if (items.length && /^\d$/.test(event.key) && event.key <= items.length) tick(Number(event.key));
        if (event.key === "Enter" && items.includes(event.target)) {
            event.preventDefault();
            form.requestSubmit();
        }
    }
});

form.addEventListener("submit", (event) => {
    if (leaves) event.preventDefault();
    leaves = true;
});
window.addEventListener("pageshow", () => { leaves = false; });
window.addEventListener("beforeunload", (event) => {
    if (!leaves && typed() !== saved) event.preventDefault();
});

// Where answer and points are side by side, marking can begin at once: by the rubric, where there is one.
const isWide = matchMedia("(min-width: 60rem)").matches;
if (isWide && items.length && saved !== null) {
    items[0].focus({ preventScroll: true });
} else if (isWide || points.hasAttribute("aria-invalid")) {
    points.focus({ preventScroll: !points.hasAttribute("aria-invalid") });
    points.select();
}
