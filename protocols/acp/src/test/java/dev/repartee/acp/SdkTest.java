package dev.repartee.acp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.acp.local.FolderFiles;
import dev.repartee.acp.local.ProcessTerminals;
import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.ClientSessionCapabilities;
import dev.repartee.acp.types.LoadSessionRequest;
import dev.repartee.acp.types.Notice;
import dev.repartee.acp.types.NoticeCapabilities;
import dev.repartee.acp.types.NoticeSeverity;
import dev.repartee.acp.types.Plan;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolCall;
import dev.repartee.acp.types.ToolCallUpdate;
import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents and clients of the official SDK for TypeScript. {@code -Drepartee.acp.sdk} is the folder
 * with its {@code node_modules}.
 */
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SdkTest {
  @TempDir
  private Path folder;

  private String sdk;

  @BeforeEach
  void find() {
    sdk = System.getProperty("repartee.acp.sdk", "");
    assumeTrue(!sdk.isEmpty() && Files.isDirectory(Path.of(sdk, "node_modules")));
  }

  private static String resource(String name) throws Exception {
    return Path.of(SdkTest.class.getResource("/" + name).toURI()).toString();
  }

  private AcpClient connect() throws Exception {
    return AcpClient.builder("repartee", "1")
        .handler(new FolderFiles(folder))
        .handler(new ProcessTerminals(folder))
        .permissions(PermissionQuestion::allow)
        .capabilities(all ->
            all.withSession(new ClientSessionCapabilities().withNotices(new NoticeCapabilities())))
        .connect("exec:" + Json.of(List.of("node", resource("agent.mjs"), sdk)));
  }

  @Test
  void ourClientDrivesAnAgentOfTheSdk() throws Exception {
    Path file = Files.writeString(folder.resolve("a.txt"), "first\nsecond\n");
    List<SessionUpdate> updates = new ArrayList<>();
    try (AcpClient client = connect()) {
      client.authenticate("key");
      ClientSession session = client.newSession(folder.toString());
      session.setMode("code");
      assertThat(session.modes().currentModeId()).isEqualTo("code");

      PromptResponse end = session.prompt(file.toString(), updates::add);

      assertThat(end.stopReason()).isEqualTo(StopReason.END_TURN);
      assertThat(file).hasContent("first\nnew");
      assertThat(updates)
          .extracting(each -> (Object) each.getClass())
          .containsExactly(
              Plan.class,
              ToolCall.class,
              ToolCallUpdate.class,
              Notice.class,
              AgentMessageChunk.class);
      assertThat(updates.get(1)).isInstanceOfSatisfying(ToolCall.class, call -> {
        assertThat(call.name()).isEqualTo("edit_file");
      });
      assertThat(updates.get(3))
          .isEqualTo(new Notice(NoticeSeverity.WARNING, "Careful").withDescription("It may fail"));
      assertThat(updates.get(4)).isEqualTo(new AgentMessageChunk(new TextContent("first\nrun\n0")));

      updates.clear();
      client.loadSession(new LoadSessionRequest("old", folder.toString(), List.of()), updates::add);
      assertThat(updates).hasSize(2);

      CountDownLatch waiting = new CountDownLatch(1);
      CompletableFuture<PromptResponse> last =
          session.promptAsync(List.of(new TextContent("wait")), update -> waiting.countDown());
      assertThat(waiting.await(60, TimeUnit.SECONDS)).isTrue();
      session.cancel();
      assertThat(last.get(60, TimeUnit.SECONDS).stopReason()).isEqualTo(StopReason.CANCELLED);
    }
  }

  @Test
  void aClientOfTheSdkDrivesOurAgent() throws Exception {
    assertThat(run())
        .containsExactlyInAnyOrder( // it handles updates and answers concurrently
            "agent 1 test-agent",
            "modes ask 2",
            "update available_commands_update ",
            "fast true",
            "update agent_thought_chunk hm",
            "update plan ",
            "update usage_update ",
            "end end_turn",
            "update tool_call pending",
            "update tool_call_update ",
            "asked call_1 2",
            "update tool_call_update in_progress",
            "update tool_call_update completed",
            "end end_turn",
            "update tool_call pending",
            "update tool_call_update ",
            "update agent_message_chunk output of echo",
            "",
            "update tool_call_update completed",
            "released",
            "end end_turn",
            "update notice Careful",
            "end end_turn",
            "update tool_call edit_file",
            "end end_turn",
            "update agent_message_chunk waiting",
            "update agent_message_chunk stopped",
            "end cancelled",
            "listed Old",
            "update user_message_chunk before",
            "update agent_message_chunk answer",
            "update available_commands_update ",
            "error -32002");
    assertThat(folder.resolve("b.txt")).hasContent("new");
  }

  private List<String> run() throws Exception {
    Process client = new ProcessBuilder(
            "node",
            resource("client.mjs"),
            sdk,
            folder.toString(),
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            TestAgent.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    try {
      return new String(output(client), StandardCharsets.UTF_8).lines().toList();
    } finally {
      client.destroyForcibly();
    }
  }

  private static byte[] output(Process process) throws IOException {
    return process.getInputStream().readAllBytes();
  }
}
