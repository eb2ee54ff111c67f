package dev.repartee.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class NetrcTest {
  private static Netrc.Entry find(String text, String host) {
    return new Netrc(text).find(host);
  }

  @Test
  void theFirstEntryOfTheHostIsFound() {
    String text = """
        # a comment: machine b login x password y
        machine a login ada password one
        machine B
          login bob
          account shop
          password "two \\"words\\" \\\\"
        machine b login other password three
        """;
    assertThat(find(text, "a")).isEqualTo(new Netrc.Entry("ada", "one"));
    assertThat(find(text, "b")).isEqualTo(new Netrc.Entry("bob", "two \"words\" \\"));
    assertThat(find(text, "c")).isNull();
    assertThat(find("machine a password p#1 login l", "a")).isEqualTo(new Netrc.Entry("l", "p#1"));
  }

  @Test
  void wordsOfTheFormatMayBeNamesAndPasswords() {
    String text = "machine a login machine password login machine b login default password b";
    assertThat(find(text, "a")).isEqualTo(new Netrc.Entry("machine", "login"));
    assertThat(find(text, "b")).isEqualTo(new Netrc.Entry("default", "b"));
  }

  @Test
  void macrosAndTheDefaultAreNoPasswords() {
    String text = """
        default login any password any
        macdef init
        machine a login m password m

        machine a login ada password one
        """;
    assertThat(find(text, "a")).isEqualTo(new Netrc.Entry("ada", "one"));
    assertThat(find(text, "b")).isNull();
  }

  @Test
  void anEntryWithoutALoginOrPasswordIsNone() {
    assertThat(find("machine a login ada", "a")).isNull();
    assertThat(find("machine a password one", "a")).isNull();
    assertThat(find("machine a login ada machine b password two", "a")).isNull();
    assertThat(find("machine a login ada machine b password two", "b")).isNull();
    assertThat(find("machine", "a")).isNull();
  }

  @Test
  void aQuotationWithoutAnEndIsRefused() {
    assertThatThrownBy(() -> find("machine a login ada password \"s3cret", "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("quotation mark")
        .message()
        .doesNotContain("s3cret");
  }
}
