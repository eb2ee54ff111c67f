package dev.repartee.testkit.fault;

import java.io.IOException;

/** The output of a {@link Fault}: one direction of a connection. */
interface FaultOutput {
  /**
   * Passes {@code bytes[from, to)} on as one piece; does nothing after the end of this direction.
   */
  void write(byte[] bytes, int from, int to) throws IOException;

  /** Ends this direction and discards later bytes; the other direction continues. */
  void end() throws IOException;

  /** Closes both directions; bytes passed on before may still arrive. */
  void cut();

  /** Resets both directions immediately. */
  void reset();
}
