package dev.repartee.lsp;

import dev.repartee.lsp.types.ProgressToken;
import dev.repartee.lsp.types.WorkDoneProgressBegin;
import dev.repartee.lsp.types.WorkDoneProgressEnd;
import dev.repartee.lsp.types.WorkDoneProgressReport;

/**
 * A client of language servers that shows the progress of their work. The object that is passed to
 * {@link LspClient#connect} implements it. Then the client accepts the tokens of the server
 * ({@code window/workDoneProgress/create}), and the progress of all tokens arrives here, including
 * the tokens that the client has sent as {@code workDoneToken} of a request.
 *
 * <p>The methods run in order, one at a time, on a thread that may block.
 */
public interface WorkDoneProgressListener {
  /** Reports that work begins. */
  void began(ProgressToken token, WorkDoneProgressBegin begin);

  /** Reports the state of work. Does nothing by default. */
  default void reported(ProgressToken token, WorkDoneProgressReport report) {}

  /** Reports that work has ended. */
  void ended(ProgressToken token, WorkDoneProgressEnd end);
}
