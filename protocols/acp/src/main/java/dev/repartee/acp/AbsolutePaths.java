package dev.repartee.acp;

import java.util.regex.Pattern;

/** The paths of ACP, which are absolute: of this system or of that of the other side. */
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
