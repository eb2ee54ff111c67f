package dev.repartee.examples.traces;

import dev.repartee.lsp.types.DiagnosticSeverity;
import org.jspecify.annotations.Nullable;

/**
 * A diagnostic within a line.
 *
 * @param from the index of the first character, in the line
 * @param to the index after the last character
 * @param see a message to which the sentence refers, in another line
 */
record Finding(
    int from, int to, DiagnosticSeverity severity, String sentence, Exchange.@Nullable Part see) {
  Finding(int from, int to, DiagnosticSeverity severity, String sentence) {
    this(from, to, severity, sentence, null);
  }
}
