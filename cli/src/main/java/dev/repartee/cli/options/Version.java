package dev.repartee.cli.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}. Maven writes the version number into {@code version.txt}. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"repartee " + number() + " (Java " + Runtime.version() + ")"};
  }

  /** Returns the version number of repartee. */
  public static String number() {
    try (InputStream resource =
        Version.class.getResourceAsStream("/dev/repartee/cli/version.txt")) {
      return new String(Objects.requireNonNull(resource).readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
