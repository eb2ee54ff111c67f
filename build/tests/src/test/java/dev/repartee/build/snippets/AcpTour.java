package dev.repartee.build.snippets;

import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.AcpClient;
import dev.repartee.acp.AgentTerminal;
import dev.repartee.acp.ClientSession;
import dev.repartee.acp.PermissionQuestion;
import dev.repartee.acp.Turn;
import dev.repartee.acp.TurnTool;
import dev.repartee.acp.local.FolderFiles;
import dev.repartee.acp.local.ProcessTerminals;
import dev.repartee.acp.runs.AgentManifest;
import dev.repartee.acp.runs.MessagePart;
import dev.repartee.acp.runs.RunMessage;
import dev.repartee.acp.runs.RunServer;
import dev.repartee.acp.types.*;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The code of docs/acp.md and protocols/acp/README.md, besides {@link EchoAgent}. */
final class AcpTour {
  private AcpTour() {}

  static String ask(String agent, Path folder, String question) throws Exception {
    StringBuilder answer = new StringBuilder();
    try (AcpClient client = AcpClient.builder("my-editor", "1.0")
        .handler(new FolderFiles(folder))
        .handler(new ProcessTerminals(folder))
        .permissions(PermissionQuestion::allow)
        .connect(agent)) {
      ClientSession session = client.newSession(folder.toString());
      session.prompt(question, update -> {
        if (update instanceof AgentMessageChunk chunk
            && chunk.content() instanceof TextContent text) {
          answer.append(text.text());
        }
      });
    }
    return answer.toString();
  }

  static void rename(Turn turn, String path) {
    String before = turn.client().readTextFile(path);
    String after = before.replace("colour", "color");
    try (TurnTool tool = turn.tool("Correct the spelling", ToolKind.EDIT)) {
      tool.content(new Diff(path, after).withOldText(before));
      if (tool.isAllowed()) {
        turn.client().writeTextFile(path, after);
        tool.complete();
      }
    }
  }

  static String test(Turn turn) {
    try (TurnTool tool = turn.tool("Run the tests", ToolKind.EXECUTE);
        AgentTerminal terminal = turn.client().startTerminal("make", "test")) {
      tool.content(new Terminal(terminal.id()));
      terminal.waitForExit();
      tool.complete();
      return terminal.output().output();
    }
  }

  static AcpAgent.Builder modes(AcpAgent.Builder agent) {
    return agent
        .mode(new SessionMode("ask", "Ask"))
        .mode(new SessionMode("code", "Code"))
        .option(new SessionConfigBoolean("thoughts", "Show thoughts", true))
        .command(new AvailableCommand("test", "Runs the tests"));
  }

  static RunServer runs() {
    return RunServer.builder()
        .agent(AgentManifest.of("greeter", "Greets by name"), run -> {
          run.send("Hello. ");
          RunMessage name = run.await(
              RunMessage.of("agent/greeter", List.of(MessagePart.text("What is your name?"))));
          run.send("Hello " + name.text());
        })
        .build();
  }

  static StopReason cancelAfter(ClientSession session, long seconds) throws Exception {
    CompletableFuture<PromptResponse> end =
        session.promptAsync(List.of(new TextContent("Refactor everything")), update -> {});
    TimeUnit.SECONDS.sleep(seconds);
    session.cancel();
    return end.get().stopReason(); // cancelled
  }
}
