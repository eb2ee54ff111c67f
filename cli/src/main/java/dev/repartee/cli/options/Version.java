package dev.repartee.cli.options;

import dev.repartee.Repartee;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code --version}. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"repartee " + number() + " (Java " + Runtime.version() + ")"};
  }

  /** Returns the version number of repartee. */
  public static String number() {
    return Repartee.version();
  }
}
