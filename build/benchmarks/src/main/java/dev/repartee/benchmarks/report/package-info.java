/**
 * The {@link dev.repartee.benchmarks.report.Page} of results: sections, charts, goals and
 * statistics.
 */
@NullMarked
package dev.repartee.benchmarks.report;

import org.jspecify.annotations.NullMarked;
