package dev.repartee.build.snippets;

import dev.repartee.Call;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;

/** The plugin of docs/plugins.md, a program of its own. */
public final class WordsPlugin {
  @Rpc
  public int count(String text) {
    return text.isBlank() ? 0 : text.strip().split("\\s+").length;
  }

  @Rpc
  public String greet(Call call) {
    String user = call.peer().call("user", String.class); // a method of the host
    return "Hello, " + user + "!";
  }

  @Rpc
  public void divide() {
    System.err.println("no memory left to divide words");
    Runtime.getRuntime().halt(3);
  }

  public static void main(String[] args) throws Exception {
    try (Server server = Repartee.listen("stdio:", Service.of(new WordsPlugin()))) {
      server.join();
    }
  }
}
