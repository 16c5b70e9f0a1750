(function () {
  "use strict";
  document.body.classList.add("scripted");
  var form = document.getElementById("filter");
  var words = document.getElementById("words");
  var shown = document.getElementById("shown");
  var all = document.querySelectorAll(".instance").length;

  function each(root, selector, act) { Array.prototype.forEach.call(root.querySelectorAll(selector), act); }

  // Hides what holds nothing that is shown; returns whether it holds something.
  function settle(element, children) {
    var some = false;
    each(element, children, function (child) { some = some || !child.hidden; });
    element.hidden = !some;
  }

  function apply() {
    var verdicts = {};
    each(form, "input[name=verdict]", function (box) { verdicts[box.value] = box.checked; });
    var wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    var count = 0;
    each(document, ".case", function (one) {
      each(one, ".instance", function (instance) {
        var text = one.dataset.words + " " + instance.dataset.words;
        var fits = wanted.every(function (word) { return text.indexOf(word) >= 0; });
        instance.hidden = !(verdicts[instance.dataset.verdict] && fits);
        if (!instance.hidden) { count += 1; }
      });
      each(one, ".cells a", function (cell) {
        cell.hidden = document.getElementById(cell.getAttribute("href").slice(1)).hidden;
      });
      settle(one, ".instance");
    });
    each(document, ".part", function (part) { settle(part, ".case"); });
    each(document, ".document", function (part) { settle(part, ".part"); });
    shown.value = count === all ? all + " instances" : count + " of " + all + " instances";
  }

  // Opens what an address leads into, also where a filter hid it.
  function reveal() {
    var target = /^#\w+$/.test(location.hash) && document.querySelector(location.hash);
    if (!target) { return; }
    for (var at = target; at; at = at.parentElement) {
      at.hidden = false;
      if (at.tagName === "DETAILS") { at.open = true; }
    }
    target.scrollIntoView();
  }

  function open(yes) { each(document, ".case", function (one) { one.open = yes; }); }

  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  document.getElementById("open").addEventListener("click", function () { open(true); });
  document.getElementById("close").addEventListener("click", function () { open(false); });
  addEventListener("hashchange", reveal);
  apply();
  reveal();
}());
