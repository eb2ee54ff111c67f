package dev.repartee.cli.telemetry;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.telemetry.AccessLog;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The value of {@code --access-log}: a file, and options after commas. */
final class AccessLogSpec {
  private static final String EXAMPLE = "; example: --access-log access.log,json,sample=0.1";

  private static final Pattern OPTION = Pattern.compile("(.*),(?:(json)|sample=([^,]*))");

  private AccessLogSpec() {}

  /**
   * Opens the log, and appends to a file that exists.
   *
   * @throws Failure if the value is invalid or the file cannot be written
   */
  static AccessLog open(String value, Stdio stdio) {
    String file = value;
    boolean json = false;
    double share = 1;
    for (Matcher option = OPTION.matcher(file); option.matches(); option = OPTION.matcher(file)) {
      file = option.group(1);
      if (option.group(2) != null) {
        json = true;
      } else {
        share = share(option.group(3));
      }
    }
    if (file.isEmpty()) {
      throw Failure.usage("--access-log: '" + value + "' names no file" + EXAMPLE);
    }
    AccessLog.Builder log = to(file, stdio).sample(share);
    return (json ? log.json() : log).build();
  }

  private static AccessLog.Builder to(String file, Stdio stdio) {
    if (file.equals("-")) {
      return AccessLog.to(stdio::note);
    }
    try {
      return AccessLog.to(Path.of(file));
    } catch (IOException | InvalidPathException e) {
      throw Failure.usage(
          "--access-log: '" + file + "' cannot be written: " + Failure.reason(e) + EXAMPLE);
    }
  }

  private static double share(String text) {
    if (!text.matches("0|1|[01]?\\.\\d{1,9}")) {
      throw fault(text);
    }
    double share = Double.parseDouble(text);
    if (share > 1) {
      throw fault(text);
    }
    return share;
  }

  private static Failure fault(String text) {
    return Failure.usage("--access-log: 'sample=" + text + "' is no share from 0 to 1" + EXAMPLE);
  }
}
