package dev.repartee.cli.options;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A command or a group of commands, with a help that ends with examples. */
@Command(footerHeading = "%nExamples:%n")
abstract class Documented {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;
}
