package dev.repartee.mcp.dap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the end of a program if the adapter, a process, does not end it. */
@Timeout(60)
class ProgramEndTest extends DebugSession {
  private static final Pattern PID = Pattern.compile("pid (\\d+)");

  /** Launches a program, and returns it. */
  private ProcessHandle launch(long reported) throws Exception {
    start(LaunchingAdapter.uri(reported), builder -> builder);
    StringBuilder output = new StringBuilder(text(call("launch", "{'timeout':0}")));
    if (reported == LaunchingAdapter.LATE) {
      call("threads", "{}");
    }
    Matcher pid = PID.matcher(output);
    while (!pid.find()) {
      output.append(text(call("output", "{}")));
      pid = PID.matcher(output);
    }
    return ProcessHandle.of(Long.parseLong(pid.group(1))).orElseThrow();
  }

  @Test
  void aLaunchedProgramEndsBeforeTerminateSaysSo() throws Exception {
    ProcessHandle program = launch(0);
    assertThat(text(call("terminate", "{}"))).isEqualTo("The program was ended.");
    program.onExit().get(30, TimeUnit.SECONDS);
  }

  @Test
  void aLaunchedProgramEndsWithItsClient() throws Exception {
    ProcessHandle program = launch(0);
    client.close();
    program.onExit().get(30, TimeUnit.SECONDS);
  }

  @Test
  void aLaunchedProgramEndsAfterItsAdapterWasKilled() throws Exception {
    ProcessHandle program = launch(0);
    program.parent().orElseThrow().destroyForcibly();
    assertThat(error(call("wait", "{'timeout':30}"))).contains("and the program with it");
    program.onExit().get(30, TimeUnit.SECONDS);
  }

  @Test
  void aProgramThatTheAdapterStartsForALaterRequestEndsAfterItsAdapterWasKilled() throws Exception {
    ProcessHandle program = launch(LaunchingAdapter.LATE);
    program.parent().orElseThrow().destroyForcibly();
    assertThat(error(call("wait", "{'timeout':30}"))).contains("and the program with it");
    program.onExit().get(30, TimeUnit.SECONDS);
  }

  @Test
  void theEndOfAProgramThatWasNotSeenIsNotClaimed() throws Exception {
    start(LaunchingAdapter.uri(LaunchingAdapter.NEVER), builder -> builder);
    call("launch", "{'timeout':0}");
    int adapter =
        structured(call("threads", "{}")).get("threads").at(0).get("id").as(int.class);
    ProcessHandle.of(adapter).orElseThrow().destroyForcibly();
    assertThat(error(call("wait", "{'timeout':30}")))
        .contains("The debug adapter has ended: ", "a program that it has left behind runs on");
  }

  @Test
  void aProcessIsNotedAfterAnEventEvenIfItBeginsLater() throws Exception {
    Descendants descendants = new Descendants();
    descendants.noteSoon(ProcessHandle.current());
    Process program = new ProcessBuilder(List.of("sleep", "600")).start();
    try {
      while (!descendants.has(program.toHandle())) {
        descendants.noteSoon(ProcessHandle.current());
        Thread.yield();
      }
    } finally {
      program.destroyForcibly();
    }
  }

  @Test
  void aProgramRunsOnAfterADisconnectWithoutTermination() throws Exception {
    ProcessHandle program = launch(0);
    try {
      call("disconnect", "{'terminate':false}");
      assertThat(program.isAlive()).isTrue();
    } finally {
      program.destroyForcibly();
    }
  }

  @Test
  void anAdapterCannotNameAProcessOfAnotherSessionToEndIt() throws Exception {
    Process other = new ProcessBuilder(List.of("sleep", "600")).start();
    try {
      ProcessHandle program = launch(other.pid());
      call("terminate", "{}");
      program.onExit().get(30, TimeUnit.SECONDS);
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly();
    }
  }
}
