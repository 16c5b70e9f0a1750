document.addEventListener("mouseover", function (event) {
  var row = event.target.closest(".row");
  document.querySelectorAll(".with").forEach(function (each) { each.classList.remove("with"); });
  if (!row) { return; }
  (row.dataset.with || "").split(" ").forEach(function (id) {
    var other = document.getElementById(id);
    if (other) { other.classList.add("with"); }
  });
});
