package dev.repartee.acp.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.acp.types.CreateTerminalRequest;
import dev.repartee.acp.types.EnvVariable;
import dev.repartee.acp.types.KillTerminalRequest;
import dev.repartee.acp.types.ReleaseTerminalRequest;
import dev.repartee.acp.types.TerminalOutputRequest;
import dev.repartee.acp.types.TerminalOutputResponse;
import dev.repartee.acp.types.WaitForTerminalExitRequest;
import dev.repartee.acp.types.WaitForTerminalExitResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessTerminalsTest {
  @TempDir
  private Path folder;

  private ProcessTerminals terminals;

  @BeforeEach
  void create() throws IOException {
    terminals = new ProcessTerminals(folder);
  }

  @AfterEach
  void close() {
    terminals.close();
  }

  private static CreateTerminalRequest shell(String script) {
    return new CreateTerminalRequest("s", "sh").withArgs(List.of("-c", script));
  }

  private String start(String script) {
    return terminals.createTerminal(shell(script)).terminalId();
  }

  private WaitForTerminalExitResponse await(String id) throws Exception {
    return terminals
        .waitForTerminalExit(new WaitForTerminalExitRequest("s", id))
        .get(60, TimeUnit.SECONDS);
  }

  private TerminalOutputResponse output(String id) {
    return terminals.terminalOutput(new TerminalOutputRequest("s", id));
  }

  @Test
  void theOutputHasBothStreamsAndTheExitCode() throws Exception {
    String id = start("echo out; echo err >&2; exit 3");

    assertThat(await(id).exitCode()).isEqualTo(3);
    assertThat(output(id).output()).isEqualTo("out\nerr\n");
    assertThat(output(id).truncated()).isFalse();
    assertThat(output(id).exitStatus().exitCode()).isEqualTo(3);
  }

  @Test
  void aCommandStartsInTheFolderWithItsVariables() throws Exception {
    String id = terminals
        .createTerminal(
            shell("pwd -P; echo $GREETING").withEnv(List.of(new EnvVariable("GREETING", "hi"))))
        .terminalId();

    await(id);
    assertThat(output(id).output()).isEqualTo(folder.toRealPath() + "\nhi\n");
  }

  @Test
  void outputBeyondTheLimitIsCutAtTheBeginningAtACharacter() throws Exception {
    String id = terminals
        .createTerminal(
            shell("i=0; while [ $i -lt 500 ]; do printf 'a\\303\\251'; i=$((i+1)); done")
                .withOutputByteLimit(10L))
        .terminalId();

    await(id);
    assertThat(output(id).truncated()).isTrue();
    assertThat(output(id).output()).isEqualTo("aéaéaé");
  }

  @Test
  void aKilledCommandKeepsItsOutputUntilItIsReleased() throws Exception {
    String id = start("echo started; sleep 600 & sleep 600");
    while (output(id).output().isEmpty()) {
      Thread.onSpinWait();
    }

    terminals.killTerminal(new KillTerminalRequest("s", id));

    assertThat(await(id).signal()).isEqualTo("SIGKILL");
    assertThat(output(id).output()).isEqualTo("started\n");
    terminals.releaseTerminal(new ReleaseTerminalRequest("s", id));
    assertThatThrownBy(() -> output(id))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("-32002");
  }

  @Test
  void aTerminalBelongsToItsSession() {
    String id = start("sleep 600");

    assertThatThrownBy(() -> terminals.terminalOutput(new TerminalOutputRequest("other", id)))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("-32002");
  }

  @Test
  void aCommandOutsideOfTheFolderOrWithoutAProgramIsRefused() {
    assertThatThrownBy(() -> terminals.createTerminal(shell("ls").withCwd("/")))
        .isInstanceOf(RpcException.class);
    assertThatThrownBy(
            () -> terminals.createTerminal(new CreateTerminalRequest("s", "no-such-program")))
        .isInstanceOf(RpcException.class)
        .satisfies(e -> assertThat(((RpcException) e).error().toString())
            .contains("the command 'no-such-program' cannot be started"));
  }

  @Test
  void theNumberOfTerminalsIsBounded() {
    for (int i = 0; i < 32; i++) {
      start("sleep 600");
    }

    assertThatThrownBy(() -> start("sleep 600"))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("32 terminals are open");
  }

  @Test
  void closingEndsAllCommands() throws Exception {
    String id = start("sleep 600");
    var exit = terminals.waitForTerminalExit(new WaitForTerminalExitRequest("s", id));

    terminals.close();

    assertThat(exit.get(60, TimeUnit.SECONDS).signal()).isEqualTo("SIGKILL");
    assertThatThrownBy(() -> start("ls")).isInstanceOf(RpcException.class);
  }

  @Test
  void theValueOfAVariableIsInNoError() {
    CreateTerminalRequest request =
        shell("true").withEnv(List.of(new EnvVariable("TOKEN", "s3cret\0")));
    assertThatThrownBy(() -> terminals.createTerminal(request))
        .isInstanceOf(RpcException.class)
        .satisfies(e -> assertThat(((RpcException) e).error().toString())
            .contains("TOKEN")
            .doesNotContain("s3cret"));
  }
}
