/**
 * Messages with their expected answers: the examples of the specification ({@link
 * dev.repartee.testkit.examples.WorkedExamples}), answers to valid and invalid messages of all
 * kinds ({@link dev.repartee.testkit.examples.ClassificationTable}), and the texts of
 * JSONTestSuite.
 */
@NullMarked
package dev.repartee.testkit.examples;

import org.jspecify.annotations.NullMarked;
