package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.AcpClient;
import dev.repartee.acp.ClientSession;
import dev.repartee.acp.runs.Run;
import dev.repartee.acp.runs.RunMessage;
import dev.repartee.acp.types.StopReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of docs/acp.md and protocols/acp/README.md. */
class AcpTourTest {
  @TempDir
  private Path folder;

  private static Server listen(AcpAgent agent) throws Exception {
    return agent.listen("tcp://127.0.0.1:0", AcpAgent.options().build());
  }

  @Test
  void anEditorAsksAnAgent() throws Exception {
    try (Server server = listen(EchoAgent.agent())) {
      String agent = server.endpoint().bare().toString();

      assertThat(AcpTour.ask(agent, folder, "hello")).isEqualTo("You said: hello");
    }
  }

  @Test
  void anAgentEditsFilesAndRunsCommands() throws Exception {
    Path file = Files.writeString(folder.resolve("a.txt"), "colour");
    Files.writeString(folder.resolve("Makefile"), "test:\n\t@echo passed\n");
    AcpAgent tools = AcpTour.modes(AcpAgent.builder("tools", "1.0", turn -> {
          AcpTour.rename(turn, file.toString());
          turn.say(AcpTour.test(turn));
          return StopReason.END_TURN;
        }))
        .build();
    try (Server server = listen(tools)) {
      String agent = server.endpoint().bare().toString();

      assertThat(AcpTour.ask(agent, folder, "go")).contains("passed");
      assertThat(file).hasContent("color");
    }
  }

  @Test
  void aRunAwaitsAnAnswer() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", AcpTour.runs().service());
        Peer peer = Repartee.connect(server.endpoint().bare().toString())) {
      Run run = peer.request("runs/create")
          .params(Map.of("agent_name", "greeter", "input", List.of(RunMessage.user("hi"))))
          .call(Run.class);

      assertThat(run.status()).isEqualTo("awaiting");
    }
  }

  @Test
  void aTurnIsCancelled() throws Exception {
    AcpAgent slow = AcpAgent.builder("slow", "1.0", turn -> {
          turn.sleep(Duration.ofMinutes(5));
          return StopReason.END_TURN;
        })
        .build();
    try (Server server = listen(slow);
        AcpClient client =
            AcpClient.builder("c", "1").connect(server.endpoint().bare().toString())) {
      ClientSession session = client.newSession("/");

      assertThat(AcpTour.cancelAfter(session, 0)).isEqualTo(StopReason.CANCELLED);
    }
  }
}
