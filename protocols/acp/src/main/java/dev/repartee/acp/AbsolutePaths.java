package dev.repartee.acp;

import java.util.regex.Pattern;

/**
 * Checks paths. ACP requires absolute paths. Accepts Unix and Windows paths, because the peer may
 * use another OS.
 */
final class AbsolutePaths {
  private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:[\\\\/].*", Pattern.DOTALL);

  private AbsolutePaths() {}

  static boolean is(String path) {
    return path.startsWith("/")
        || path.startsWith("\\\\")
        || DRIVE.matcher(path).matches();
  }

  static String require(String path) {
    if (!is(path)) {
      throw new IllegalArgumentException("'" + path + "' is not an absolute path");
    }
    return path;
  }
}
