package dev.repartee.examples.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.acp.AcpClient;
import dev.repartee.acp.ClientSession;
import dev.repartee.acp.PermissionQuestion;
import dev.repartee.acp.local.FolderFiles;
import dev.repartee.acp.local.ProcessTerminals;
import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.ListSessionsRequest;
import dev.repartee.acp.types.LoadSessionRequest;
import dev.repartee.acp.types.Plan;
import dev.repartee.acp.types.PlanEntryStatus;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.UserMessageChunk;
import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScriptedAgentTest {
  @TempDir
  private Path folder;

  private final List<SessionUpdate> updates = new ArrayList<>();

  private AcpClient start() throws IOException {
    List<String> line = List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        Main.class.getName());
    return AcpClient.builder("test", "1")
        .handler(new FolderFiles(folder))
        .handler(new ProcessTerminals(folder))
        .permissions(PermissionQuestion::allow)
        .connect("exec:" + Json.of(line));
  }

  private String said() {
    StringBuilder said = new StringBuilder();
    for (SessionUpdate each : updates) {
      if (each instanceof AgentMessageChunk chunk && chunk.content() instanceof TextContent text) {
        said.append(text.text());
      }
    }
    return said.toString();
  }

  @Test
  void theStepsOfAPromptAreAPlanAndChangeFilesAfterPermission() throws Exception {
    try (AcpClient client = start()) {
      ClientSession session = client.newSession(folder.toString());

      PromptResponse end = session.prompt(
          "/write a.txt hello\nread a.txt\nrun cat a.txt\nread none.txt", updates::add);

      assertThat(end.stopReason()).isEqualTo(StopReason.END_TURN);
      assertThat(folder.resolve("a.txt")).hasContent("hello\n");
      assertThat(said())
          .startsWith("a.txt was written.\na.txt has 1 lines.\nThe command ended with 0:\nhello\n")
          .contains("none.txt was not read");
      Plan last = (Plan)
          updates.stream().filter(Plan.class::isInstance).reduce((a, b) -> b).orElseThrow();
      assertThat(last.entries())
          .hasSize(4)
          .allMatch(each -> each.status().equals(PlanEntryStatus.COMPLETED));
      assertThat(session.title()).isEqualTo("/write a.txt hello");

      session.setOption("tone", "loud");
      updates.clear();
      session.prompt("quiet", updates::add);
      assertThat(said()).isEqualTo("YOU SAID: QUIET\n");

      updates.clear();
      String id =
          client.listSessions(new ListSessionsRequest()).sessions().get(0).sessionId();
      client.loadSession(new LoadSessionRequest(id, folder.toString(), List.of()), updates::add);
      assertThat(updates).first().isInstanceOf(UserMessageChunk.class);
      assertThat(said()).contains("a.txt was written.");
    }
  }

  @Test
  void aTurnIsCancelledWhileItSleeps() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    try (AcpClient client = start()) {
      ClientSession session = client.newSession(folder.toString());
      CompletableFuture<PromptResponse> end =
          session.promptAsync(List.of(new TextContent("sleep 600")), update -> running.countDown());
      assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();

      session.cancel();

      assertThat(end.get(60, TimeUnit.SECONDS).stopReason()).isEqualTo(StopReason.CANCELLED);
    }
  }
}
