package dev.repartee.examples.guides;

import dev.repartee.*;
import java.util.Locale;

public class Plugin {
  @Rpc
  public String convert(String text, Call call) {
    String language = call.peer().call("setting", String.class, "language"); // asks the host
    return text.toUpperCase(Locale.forLanguageTag(language));
  }

  @Rpc
  public void crash() {
    System.err.println("no memory left to convert");
    System.exit(7);
  }

  public static void main(String[] args) throws Exception {
    Repartee.listen("stdio:", Service.of(new Plugin())).join();
  }
}
