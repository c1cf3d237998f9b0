// Adds keys to the page on which an answer is marked, and uses comments again by a click. Without it the page works by its forms.
"use strict";

const form = document.querySelector("#mark");
const points = document.querySelector("#points");
const comment = document.querySelector("#comment");
const typed = () => [points.value, comment.value].join("\n");
// What could not be saved comes back as it was typed, and is not saved yet.
const saved = document.querySelector("#reason") ? null : typed();
let leaves = false;

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
};

document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        form.requestSubmit();
    } else if (event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.code in keys) {
        event.preventDefault();
        keys[event.code]();
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

// Where answer and points are side by side, typing can begin at once.
if (matchMedia("(min-width: 60rem)").matches || points.hasAttribute("aria-invalid")) {
    points.focus({ preventScroll: !points.hasAttribute("aria-invalid") });
    points.select();
}
