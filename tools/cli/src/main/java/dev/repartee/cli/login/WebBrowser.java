package dev.repartee.cli.login;

import dev.repartee.cli.terminal.Failure;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Opens pages in the browser of the user, with the opener of the system. The page is one argument of
 * the opener: no shell reads it.
 */
final class WebBrowser {
  /**
   * The variables for a display or a browser. One of them is set if a program can open a window or
   * start a browser.
   */
  private static final List<String> DISPLAYS = List.of("DISPLAY", "WAYLAND_DISPLAY", "BROWSER");

  private final String system;
  private final Function<String, @Nullable String> environment;

  /**
   * @param system the name of the system, as in the property os.name
   * @param environment returns the value of an environment variable, or null
   */
  WebBrowser(String system, Function<String, @Nullable String> environment) {
    this.system = system.toLowerCase(Locale.ROOT);
    this.environment = environment;
  }

  static WebBrowser ofSystem() {
    return new WebBrowser(System.getProperty("os.name"), System::getenv);
  }

  /**
   * Opens a page without waiting for it.
   *
   * @param failed receives the reason if no browser opens, now or later on another thread
   */
  void open(URI page, Consumer<String> failed) {
    if (!isWeb(page)) {
      failed.accept("the address is not one of http: or https:");
      return;
    }
    if (!hasDisplay()) {
      failed.accept("there is no display");
      return;
    }
    List<String> command = command(page);
    try {
      Process opener = new ProcessBuilder(command)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      opener.getOutputStream().close();
      opener.onExit().thenAccept(ended -> {
        if (ended.exitValue() != 0) {
          failed.accept(command.get(0) + " ended with exit code " + ended.exitValue());
        }
      });
    } catch (IOException e) {
      failed.accept(Failure.reason(e));
    }
  }

  static boolean isWeb(URI page) {
    return ("http".equalsIgnoreCase(page.getScheme()) || "https".equalsIgnoreCase(page.getScheme()))
        && page.getHost() != null;
  }

  /** Without a display, xdg-open may start a browser for terminals, which the user does not see. */
  private boolean hasDisplay() {
    return isMac()
        || isWindows()
        || DISPLAYS.stream().map(environment).anyMatch(value -> value != null && !value.isEmpty());
  }

  /** Returns the opener of the system with its arguments. */
  List<String> command(URI page) {
    Stream<String> opener = isWindows()
        ? Stream.of("rundll32", "url.dll,FileProtocolHandler")
        : Stream.of(isMac() ? "open" : "xdg-open");
    return Stream.concat(opener, Stream.of(page.toASCIIString())).toList();
  }

  private boolean isMac() {
    return system.startsWith("mac");
  }

  private boolean isWindows() {
    return system.startsWith("windows");
  }
}
