package dev.repartee.conformance;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Plays a script on every connection of a transport. */
final class ChannelServer implements ScriptedServer {
  private final Transport.Listening listening;
  private final Consumer<@Nullable String> told;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Script script;
  private volatile @Nullable String fault = NO_CALL;

  /** The fault of a client that made no call. */
  static final String NO_CALL = "it made no call";

  ChannelServer(Endpoint endpoint) throws IOException {
    this(endpoint, Json.EMPTY_OBJECT, fault -> {});
  }

  /** Plays the given script from the start, and passes the fault of each call to {@code told}. */
  ChannelServer(Endpoint endpoint, Json first, Consumer<@Nullable String> told) throws IOException {
    this.script = Script.of(first);
    this.told = told;
    listening = Transport.of(endpoint)
        .listen(endpoint, Limits.DEFAULT, channel -> channel.start(new Player(channel)));
  }

  @Override
  public String uri() {
    return listening.endpoint().toString();
  }

  @Override
  public void play(Json script) {
    this.fault = NO_CALL;
    this.script = Script.of(script);
  }

  @Override
  public @Nullable String fault() {
    return fault;
  }

  @Override
  public void close() {
    listening.close();
  }

  /** Waits until a connection has ended. */
  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  private void note(@Nullable String fault) {
    this.fault = fault;
    told.accept(fault);
  }

  private final class Player implements Receiver {
    private final Channel channel;
    private Json id = Json.NULL;
    private boolean called;

    Player(Channel channel) {
      this.channel = channel;
    }

    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      Json said = parsed(Arrays.copyOfRange(bytes, from, to));
      if (!called) {
        called = true;
        called(said);
      } else if (said != null && said.get("method") == null) {
        answered(said);
      }
      return said != null;
    }

    private void called(@Nullable Json call) {
      Script playing = script;
      String wrong = ScriptedServer.fault(call);
      Json its = call == null ? null : call.get("id");
      id = its == null ? Json.NULL : its;
      note(wrong == null && playing.awaits() != null ? "it did not answer" : wrong);
      say(playing.answers(), playing.end() && playing.awaits() == null);
    }

    private void answered(Json answer) {
      Answer awaited = script.awaits();
      if (awaited != null) {
        note(awaited.fault(answer));
        say(script.then(), script.end());
      }
    }

    private void say(List<Json> answers, boolean end) {
      try {
        for (byte[] text : Script.texts(answers, id)) {
          channel.send(text);
        }
      } catch (DisconnectedException e) {
        // The client has closed the connection.
      }
      if (end) {
        channel.close();
      }
    }

    private static @Nullable Json parsed(byte[] text) {
      try {
        return Json.parse(text);
      } catch (JsonException e) {
        return null;
      }
    }

    @Override
    public void fault(FrameFault framing) {
      note(framing.reason());
    }

    @Override
    public boolean ready() {
      return channel.takesAnswers();
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {
      channel.close();
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      ended.countDown();
    }
  }
}
