/**
 * Messages with their expected answers: the examples of the specification, answers to valid and invalid
 * messages of all kinds, and the texts of JSONTestSuite.
 */
@NullMarked
package dev.repartee.testkit.examples;

import org.jspecify.annotations.NullMarked;
