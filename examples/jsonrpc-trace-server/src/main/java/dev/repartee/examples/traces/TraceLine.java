package dev.repartee.examples.traces;

import dev.repartee.trace.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The facts of one line, which depend on no other line. They therefore stay valid while other lines
 * change. Immutable.
 *
 * @param stamp the time, connection and direction; null in a file without them
 * @param event an event of a recording, such as the end of a connection
 * @param isHidden whether the line stands for a message that cannot be read: it was cut or masked
 * @param messages the valid messages: several for a batch
 * @param findings the faults of the line itself
 */
record TraceLine(
    @Nullable Stamp stamp,
    @Nullable Entry event,
    boolean isHidden,
    List<TraceMessage> messages,
    List<Finding> findings) {
  static final TraceLine BLANK = new TraceLine(null, null, false, List.of(), List.of());
}
