package dev.repartee.examples.agent;

import dev.repartee.RemoteRpcException;
import dev.repartee.acp.AgentTerminal;
import dev.repartee.acp.Turn;
import dev.repartee.acp.TurnTool;
import dev.repartee.acp.types.Content;
import dev.repartee.acp.types.Diff;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.Terminal;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolCallLocation;
import dev.repartee.acp.types.ToolKind;
import dev.repartee.acp.types.WaitForTerminalExitResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The tools of the agent, which run in the client. */
final class Tools {
  private static final PermissionOption ONCE =
      new PermissionOption("once", "Allow once", PermissionOptionKind.ALLOW_ONCE);
  private static final PermissionOption ALWAYS =
      new PermissionOption("always", "Allow all changes", PermissionOptionKind.ALLOW_ALWAYS);
  private static final PermissionOption NO =
      new PermissionOption("no", "Reject", PermissionOptionKind.REJECT_ONCE);

  private Tools() {}

  /** Reads a file of the client. */
  static String read(Turn turn, String named) {
    String path = absolute(turn, named);
    try (TurnTool tool = turn.tool("Read " + named, ToolKind.READ)) {
      tool.locations(new ToolCallLocation(path));
      tool.begin();
      String text = turn.client().readTextFile(path);
      tool.complete(new Content(new TextContent(text)));
      return named + " has " + text.lines().count() + " lines.\n";
    } catch (RemoteRpcException | UnsupportedOperationException e) {
      return named + " was not read: " + e.getMessage() + "\n";
    }
  }

  /** Writes a file of the client, and asks before in the mode {@code ask}. */
  static String write(Turn turn, String rest) {
    String[] words = rest.split("\\s+", 2);
    String path = absolute(turn, words[0]);
    String text = (words.length < 2 ? "" : words[1]) + "\n";
    try (TurnTool tool = turn.tool("Write " + words[0], ToolKind.EDIT)) {
      tool.locations(new ToolCallLocation(path));
      tool.content(new Diff(path, text));
      if (!mayChange(turn, tool)) {
        tool.fail("rejected");
        return words[0] + " was not written.\n";
      }
      tool.begin();
      turn.client().writeTextFile(path, text);
      tool.complete();
      return words[0] + " was written.\n";
    } catch (RemoteRpcException | UnsupportedOperationException e) {
      return words[0] + " was not written: " + e.getMessage() + "\n";
    }
  }

  /** Runs a command in a terminal of the client. */
  static String run(Turn turn, String command) {
    List<String> words = Arrays.asList(command.split("\\s+"));
    String[] args = words.subList(1, words.size()).toArray(new String[0]);
    try (TurnTool tool = turn.tool("Run " + command, ToolKind.EXECUTE)) {
      if (!mayChange(turn, tool)) {
        tool.fail("rejected");
        return "The command was not run.\n";
      }
      try (AgentTerminal terminal = turn.client().startTerminal(words.get(0), args)) {
        tool.content(new Terminal(terminal.id()));
        tool.begin();
        WaitForTerminalExitResponse exit = terminal.waitForExit();
        String output = terminal.output().output();
        tool.complete();
        return "The command ended with " + (exit.signal() == null ? exit.exitCode() : exit.signal())
            + ":\n" + output;
      }
    } catch (RemoteRpcException | UnsupportedOperationException e) {
      return "The command was not run: " + e.getMessage() + "\n";
    }
  }

  /** Asks for permission in the mode {@code ask}; the user may choose the mode {@code code}. */
  private static boolean mayChange(Turn turn, TurnTool tool) {
    if ("code".equals(turn.session().mode())) {
      return true;
    }
    Optional<PermissionOption> chosen = tool.ask(ONCE, ALWAYS, NO);
    if (chosen.filter(ALWAYS::equals).isPresent()) {
      turn.session().mode("code");
    }
    return chosen.filter(each -> !each.equals(NO)).isPresent();
  }

  private static String absolute(Turn turn, String named) {
    return named.startsWith("/") ? named : turn.session().cwd() + "/" + named;
  }
}
