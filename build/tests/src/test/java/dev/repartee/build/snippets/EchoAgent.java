package dev.repartee.build.snippets;

import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.types.StopReason;

public class EchoAgent {
  static AcpAgent agent() {
    return AcpAgent.builder("echo", "1.0", turn -> {
          turn.say("You said: " + turn.text());
          return StopReason.END_TURN;
        })
        .build();
  }

  public static void main(String[] args) throws Exception {
    agent().run();
  }
}
