package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}. Maven writes the version number into {@code version.txt}. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    return new String[] {"repartee " + number() + " (Java " + Runtime.version() + ")"};
  }

  /** Returns the version number of repartee. */
  static String number() throws IOException {
    try (InputStream resource = Version.class.getResourceAsStream("version.txt")) {
      return new String(Objects.requireNonNull(resource).readAllBytes(), UTF_8).strip();
    }
  }
}
