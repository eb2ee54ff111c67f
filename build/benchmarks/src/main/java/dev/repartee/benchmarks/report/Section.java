package dev.repartee.benchmarks.report;

import java.util.List;

/**
 * One section of the report.
 *
 * @param text Markdown, with headings
 * @param goals the goals with results in this section
 * @param charts the charts below the text
 * @param failures the measurements that failed, with the reasons
 */
public record Section(String text, List<Goal> goals, List<Chart> charts, List<String> failures) {}
