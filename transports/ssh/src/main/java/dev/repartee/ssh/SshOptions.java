package dev.repartee.ssh;

import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the options of an endpoint. */
final class SshOptions {
  private SshOptions() {}

  /** Returns the file in an option; null if the option is missing. */
  static @Nullable Path file(Endpoint endpoint, String option) {
    String value = endpoint.option(option, "");
    if (value.isEmpty()) {
      return null;
    }
    try {
      return Path.of(Endpoint.decoded(value));
    } catch (IllegalArgumentException e) { // also of a path
      throw new IllegalArgumentException("the option " + option + " of ssh: names no file: '"
          + value + "'; write %25 for a percent sign");
    }
  }

  /** Returns the file in a required option of a server. */
  static Path requiredFile(Endpoint endpoint, String option) {
    Path file = file(endpoint, option);
    if (file == null) {
      throw new IllegalArgumentException("a server of ssh: needs the option " + option
          + ": ssh://127.0.0.1:2222#hostkey=FILE&authorized=FILE");
    }
    return file;
  }

  /** Returns whether an option has its only valid value; false without the option. */
  static boolean isSet(Endpoint endpoint, String option, String value) {
    String given = endpoint.option(option, "");
    if (!given.isEmpty() && !given.equals(value)) {
      throw new IllegalArgumentException("the option " + option + " of ssh: has the unknown value '"
          + given + "'; known is " + value);
    }
    return !given.isEmpty();
  }

  /** Refuses options that only the other side supports. */
  static void requireNone(Endpoint endpoint, String side, Set<String> options) {
    for (String option : options) {
      if (endpoint.options().containsKey(option)) {
        throw new IllegalArgumentException(
            "the option " + option + " of ssh: belongs to a " + side + "; leave it out here");
      }
    }
  }
}
