package dev.repartee.benchmarks;

import java.util.List;

/**
 * One part of the page.
 *
 * @param text Markdown with headings of its own
 * @param goals what it shows of the goals
 * @param charts shown below the text
 * @param failures what could not be measured, and why
 */
record Section(String text, List<Goal> goals, List<Chart> charts, List<String> failures) {}
