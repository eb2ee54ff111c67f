package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code repartee completion}: prints the completion script of a shell. */
@Command(
    description = "Prints a script that completes commands, options and files in a shell.",
    footer = """
          repartee completion bash > ~/.local/share/bash-completion/completions/repartee
          repartee completion zsh > ~/.zfunc/_repartee      # in a folder of $fpath
          repartee completion fish > ~/.config/fish/completions/repartee.fish

        Exit codes: 0 printed, 2 usage.""")
final class CompletionCommand extends Subcommand {
  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  CompletionScript shell = CompletionScript.BASH;

  @Override
  public Integer call() {
    stdio.bytes(shell.of(Commands.texts(stdio)).getBytes(UTF_8));
    return Exit.OK;
  }
}
