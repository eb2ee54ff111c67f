package dev.repartee.examples.a2a;

import dev.repartee.Server;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentCardBuilder;
import dev.repartee.a2a.types.AgentSkill;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The command: serves the agent until it is stopped. */
public final class Main {
  private static final String HELP = """
      usage: examples/a2a-agent/agent [--listen URI] [--allow-private]

      Serves an agent of A2A 1.0 and 0.3 until SIGTERM or SIGINT (Ctrl-C).

        --listen URI      the address; by default http://127.0.0.1:9999/, port 0 takes a free one
        --allow-private   sends push notifications also to private networks and to this machine

      The card is at /.well-known/agent-card.json. Prints 'listening on URI' to standard error.
      """;

  private Main() {}

  /** Runs the command. */
  public static void main(String[] args) throws InterruptedException {
    Deque<String> words = new ArrayDeque<>(List.of(args));
    String uri = "http://127.0.0.1:9999/";
    boolean allowsPrivate = false;
    while (!words.isEmpty()) {
      String word = words.remove();
      if (word.equals("--listen") && !words.isEmpty()) {
        uri = words.remove();
      } else if (word.equals("--allow-private")) {
        allowsPrivate = true;
      } else {
        boolean asked = word.equals("--help");
        (asked ? System.out : System.err).print(HELP);
        System.exit(asked ? 0 : 2);
      }
    }
    try {
      Server server = server(allowsPrivate).listen(uri);
      System.err.println("listening on " + server.endpoint());
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        server.close();
        Runtime.getRuntime().halt(0);
      }));
      server.join();
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("agent: " + e.getMessage());
      System.exit(2);
    }
  }

  /** Returns the agent as a server. */
  static A2aServer server(boolean allowsPrivate) {
    PushNotifications.Builder push = PushNotifications.builder();
    return A2aServer.builder(card().build())
        .agent(new Poet())
        // The test suite has no credentials; everybody is the same client here.
        .authentication(request -> "everybody")
        .extendedCard(card()
            .skill(new AgentSkill(
                "sonnet", "Sonnets", "Writes a sonnet, for members", List.of("poem")))
            .build())
        .push((allowsPrivate ? push.allowPrivateAddresses() : push).build())
        .build();
  }

  private static AgentCardBuilder card() {
    return AgentCard.builder("Poet", "Writes short poems about any word", "1.0.0")
        .provider("Repartee", "https://example.org")
        .streaming()
        .pushNotifications()
        .extendedAgentCard()
        .inputModes("text/plain", "application/json")
        .outputModes("text/plain", "application/json")
        .skill(
            new AgentSkill("poem", "Poems", "Writes a poem line by line", List.of("poem", "text")));
  }
}
