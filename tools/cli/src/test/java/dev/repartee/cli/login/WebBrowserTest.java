package dev.repartee.cli.login;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The opener of each system. */
class WebBrowserTest {
  private static final URI PAGE = URI.create("https://auth.example/login?a=1&b=%22%20;rm");

  private static List<String> command(String system) {
    return new WebBrowser(system, Map.<String, String>of()::get).command(PAGE);
  }

  @Test
  void thePageIsOneArgumentOfTheOpener() {
    assertThat(command("Linux")).containsExactly("xdg-open", PAGE.toString());
    assertThat(command("Mac OS X")).containsExactly("open", PAGE.toString());
    assertThat(command("Windows 11"))
        .containsExactly("rundll32", "url.dll,FileProtocolHandler", PAGE.toString());
  }

  @Test
  void onlyPagesOfTheWebAreOpened() {
    WebBrowser browser = new WebBrowser("Linux", Map.of("DISPLAY", ":0")::get);
    List<String> reasons = new ArrayList<>();
    for (String page : List.of("file:///etc/passwd", "javascript:alert(1)", "-x", "https:x")) {
      assertThat(WebBrowser.isWeb(URI.create(page))).as(page).isFalse();
      browser.open(URI.create(page), reasons::add);
    }
    assertThat(reasons).hasSize(4).containsOnly("the address is not one of http: or https:");
    assertThat(WebBrowser.isWeb(PAGE)).isTrue();
  }

  @Test
  void withoutADisplayNothingIsStarted() {
    List<String> reasons = new ArrayList<>();
    new WebBrowser("Linux", Map.of("DISPLAY", "")::get).open(PAGE, reasons::add);
    assertThat(reasons).containsExactly("there is no display");
  }
}
