package dev.repartee.framing;

import dev.repartee.internal.Providers;
import java.util.List;

/** The installed envelopes, loaded when an endpoint names one. */
final class Envelopes {
  private static final List<Envelope> INSTALLED = Providers.of(Envelope.class);

  private Envelopes() {}

  /**
   * Returns the envelope with that name.
   *
   * @throws IllegalArgumentException if the name is unknown; the message lists the known names
   */
  static Envelope named(String name) {
    for (Envelope envelope : INSTALLED) {
      if (envelope.name().equals(name)) {
        return envelope;
      }
    }
    List<String> names = INSTALLED.stream().map(Envelope::name).sorted().toList();
    throw new IllegalArgumentException("unknown envelope '" + name + "'; "
        + (names.isEmpty()
            ? "none is installed: add the module repartee-envelopes"
            : "known are " + String.join(", ", names)
                + ", and without the option messages are JSON-RPC 2.0"));
  }
}
