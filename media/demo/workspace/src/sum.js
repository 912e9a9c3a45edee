/** Adds two numbers. */
function sum(a, b) {
  return a - b;
}

/** Adds all numbers of a list. */
function total(numbers) {
  return numbers.reduce(sum, 0);
}

module.exports = { sum, total };
