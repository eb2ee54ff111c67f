package dev.repartee.cli.options;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file with passwords for hosts, in the format of ftp and curl: {@code machine HOST login NAME
 * password SECRET}. White space separates the words; a word in double quotes may contain white
 * space and {@code \"}. Lines that begin with {@code #} are comments. Macros are skipped. The entry
 * {@code default} is ignored, since its password would be sent to any host.
 */
final class Netrc {
  /** The login and the password for a host. */
  record Entry(String login, String password) {}

  private final List<String> words = new ArrayList<>();

  /**
   * Parses a file.
   *
   * @throws IllegalArgumentException if a quotation has no end; the message has no text of the file
   */
  Netrc(String text) {
    boolean isMacro = false;
    for (String line : text.lines().toList()) {
      if (line.isBlank()) {
        isMacro = false; // an empty line ends it
      } else if (!isMacro && !line.startsWith("#")) {
        split(line);
        isMacro = words.size() > 1 && words.get(words.size() - 2).equals("macdef");
      }
    }
  }

  private void split(String line) {
    int at = 0;
    while (at < line.length()) {
      char first = line.charAt(at);
      if (Character.isWhitespace(first)) {
        at++;
      } else if (first == '"') {
        at = quoted(line, at + 1);
      } else {
        int end = at;
        while (end < line.length() && !Character.isWhitespace(line.charAt(end))) {
          end++;
        }
        words.add(line.substring(at, end));
        at = end;
      }
    }
  }

  /** Adds a quoted word, and returns the position after its end. */
  private int quoted(String line, int from) {
    StringBuilder word = new StringBuilder();
    for (int at = from; at < line.length(); at++) {
      char c = line.charAt(at);
      if (c == '"') {
        words.add(word.toString());
        return at + 1;
      }
      boolean isEscaped = c == '\\' && at + 1 < line.length();
      word.append(isEscaped ? line.charAt(++at) : c);
    }
    throw new IllegalArgumentException("has a quotation mark without an end in the same line");
  }

  /** Returns the first entry for a host, ignoring case; null if there is none. */
  @Nullable Entry find(String host) {
    boolean isIts = false;
    String login = null;
    String password = null;
    for (int i = 0; i < words.size(); i++) {
      String value = i + 1 < words.size() ? words.get(i + 1) : "";
      switch (words.get(i)) {
        case "machine", "default" -> {
          if (login != null && password != null) {
            return new Entry(login, password);
          }
          isIts = words.get(i).equals("machine") && value.equalsIgnoreCase(host);
          login = null;
          password = null;
          i += words.get(i).equals("machine") ? 1 : 0;
        }
        case "login" -> {
          login = isIts ? value : null;
          i++;
        }
        case "password" -> {
          password = isIts ? value : null;
          i++;
        }
        default -> i++; // account and macdef have a value, too
      }
    }
    return login != null && password != null ? new Entry(login, password) : null;
  }
}
