package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.limits.Limits;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Lenience;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The responses of a server that are not in the table of testkit ({@code ClassificationTable}):
 * those that depend on options, on limits, or on handlers that fail.
 */
class ClassificationTest {
  private static final String TOO_DEEP =
      "{'jsonrpc':'2.0','error':{'code':-32700,'message':'Parse error',"
          + "'data':'at offset 500: nested deeper than the limit depth of 500 allows'},'id':null}";
  private static final String TOO_LONG =
      "{'jsonrpc':'2.0','error':{'code':-32600,'message':'Invalid Request',"
          + "'data':'the batch is longer than the limit batch of 2 allows; send it in parts'},"
          + "'id':null}";

  private final List<String> ran = Collections.synchronizedList(new ArrayList<>());
  private final Service service = Service.builder()
      .method("echo", Lane.INLINE, call -> {
        ran.add(call.method());
        return call.params();
      })
      .method("fail", Lane.INLINE, call -> {
        throw new IllegalStateException("a secret");
      })
      .build();

  private @Nullable String answer(String frame) throws InterruptedException {
    return answer(frame, Options.DEFAULT);
  }

  /** The text of a frame has single quotes in the place of JSON's double quotes. */
  private @Nullable String answer(String frame, Options options) throws InterruptedException {
    byte @Nullable [] reply = FrameResponder.of(
            service, options, new ChannelInfo("test", "", "message"))
        .respond(frame.replace('\'', '"').getBytes(UTF_8));
    return reply == null ? null : new String(reply, UTF_8).replace('"', '\'');
  }

  @Test
  void invalidUtf8IsAParseError() throws InterruptedException {
    byte[] frame = "{'jsonrpc':'2.0','method':'ech?','id':1}".replace('\'', '"').getBytes(UTF_8);
    frame[29] = (byte) 0xFF;
    byte @Nullable [] reply = FrameResponder.of(
            service, Options.DEFAULT, new ChannelInfo("test", "", "message"))
        .respond(frame);
    assertThat(reply).asString(UTF_8).contains("-32700");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', nullValues = "none", textBlock = """
          {'jsonrpc':'2.0','method':'a','id':1}           | none | none
          {'jsonrpc':'2.0','error':{},'id':1}             | none | none
          {'method':'a'}                                  | jsonrpc | 'jsonrpc' is missing
          {'jsonrpc':1,'method':'a'}                      | jsonrpc | has to be the string '2.0'
          {'jsonrpc':'2.0','method':'a','id':[]}          | id | 'id' is an array
          {'jsonrpc':'2.0','method':'a','id':1,'id':1}    | id | 'id' occurs twice
          {'jsonrpc':'2.0','id':1}                        | method | 'method' is missing
          {'jsonrpc':'2.0','method':1}                    | method | 'method' is a number
          {'jsonrpc':'2.0','method':'a','params':1}       | params | 'params' is a number
          {'jsonrpc':'2.0','method':'a','result':1}       | result | 'method' and the member 'result'
          {'jsonrpc':'2.0','method':'a','error':1}        | error | 'method' and the member 'error'
          {'jsonrpc':'2.0','result':1,'error':1,'id':1}   | error | 'result' and the member 'error'
          {'jsonrpc':'2.0','result':1}                    | id | 'id' is missing
          [[]]                                            | none | is an array, but has to be an object
          []                                              | none | the batch is empty
          """)
  void aParsedFrameTellsTheViolationAndItsMember(
      String frame, @Nullable String member, @Nullable String violation) {
    ParsedFrame parsed = new ParsedFrame(Limits.DEFAULT, Set.of());
    byte[] bytes = frame.replace('\'', '"').getBytes(UTF_8);
    JsonRpc.STRICT.decode(bytes, 0, bytes.length, parsed);

    assertThat(parsed.violatedMember(0)).isEqualTo(member);
    if (violation == null) {
      assertThat(parsed.violation(0)).isNull();
    } else {
      assertThat(parsed.violation(0)).contains(violation);
    }
  }

  @Test
  void oneByteOrderMarkBeforeAMessageIsSkipped() throws InterruptedException {
    String call = "{'jsonrpc':'2.0','method':'echo','id':1}";
    String answer = "{'jsonrpc':'2.0','result':null,'id':1}";
    assertThat(answer("\ufeff" + call)).isEqualTo(answer);
    assertThat(answer(" \n\ufeff\t[" + call + "]")).isEqualTo("[" + answer + "]");
    for (String wrong :
        List.of("\ufeff\ufeff" + call, call + "\ufeff", "[\ufeff" + call + "]", "\ufeff")) {
      assertThat(answer(wrong)).contains("-32700");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jsonrpc_",
        "jsonrp",
        "method_",
        "metho",
        "params_",
        "id_",
        "i",
        "id\\u0020",
        "Id",
        "result_",
        "errors",
        "error_",
        "erro"
      })
  void aMemberThatOnlyStartsLikeAnEnvelopeMemberIsUnknown(String name) throws InterruptedException {
    assertThat(answer("{'" + name + "':[],'jsonrpc':'2.0','method':'echo','params':[7],'id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','result':[7],'id':1}");
    assertThat(answer("{'jsonrpc':'2.0','method':'echo','params':[7],'id':1,'" + name + "':0}"))
        .isEqualTo("{'jsonrpc':'2.0','result':[7],'id':1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','method':'echo'}",
        "{'jsonrpc':'2.0','method':'nothing'}",
        "{'jsonrpc':'2.0','method':'fail'}",
        "[{'jsonrpc':'2.0','method':'echo'},{'jsonrpc':'2.0','method':'fail'}]",
      })
  void aNotificationIsNeverAnswered(String notification) throws InterruptedException {
    assertThat(answer(notification)).isNull();
  }

  @Test
  void nothingOfAnExceptionReachesTheWire() throws InterruptedException {
    assertThat(answer("{'jsonrpc':'2.0','method':'fail','id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','error':{'code':-32603,'message':'Internal error'},'id':1}");
  }

  @Test
  void anExceptionCanBeMappedToACode() throws InterruptedException {
    Options options = Options.builder()
        .mapException(IllegalStateException.class, new RpcError(-7, "Not now"))
        .build();
    assertThat(answer("{'jsonrpc':'2.0','method':'fail','id':1}", options))
        .isEqualTo("{'jsonrpc':'2.0','error':{'code':-7,'message':'Not now'},'id':1}");
  }

  @Test
  void nestingUpToTheLimitIsAcceptedAndOneMoreIsAParseError() throws InterruptedException {
    assertThat(answer("[".repeat(Limits.DEPTH) + "]".repeat(Limits.DEPTH))).contains("-32600");
    assertThat(answer("[".repeat(Limits.DEPTH + 1) + "]".repeat(Limits.DEPTH + 1)))
        .isEqualTo(TOO_DEEP);
    assertThat(answer("[".repeat(100_000))).isEqualTo(TOO_DEEP);
  }

  @Test
  void aBatchPastItsLimitIsOneInvalidRequest() throws InterruptedException {
    Options options = Options.builder().limits(limits -> limits.batch(2)).build();
    String call = "{'jsonrpc':'2.0','method':'echo','id':1}";
    assertThat(answer("[" + call + "," + call + "]", options)).startsWith("[");
    assertThat(answer("[" + call + "," + call + "," + call + "]", options)).isEqualTo(TOO_LONG);
    assertThat(ran).hasSize(2);
  }

  @Test
  void nullParamsAreToleratedWhereAsked() throws InterruptedException {
    Options options = Options.builder().lenience(Lenience.NULL_PARAMS).build();
    assertThat(answer("{'jsonrpc':'2.0','method':'echo','params':null,'id':1}", options))
        .isEqualTo("{'jsonrpc':'2.0','result':null,'id':1}");
  }

  @Test
  void aMissingVersionIsToleratedWhereAsked() throws InterruptedException {
    Options options = Options.builder().lenience(Lenience.MISSING_VERSION).build();
    assertThat(answer("{'method':'echo','id':1}", options))
        .isEqualTo("{'jsonrpc':'2.0','result':null,'id':1}");
    assertThat(answer("{'jsonrpc':'1.0','method':'echo','id':1}", options)).contains("-32600");
  }

  @Test
  void methodsOfOurOwnAnswerUnlessSwitchedOff() throws InterruptedException {
    String ping = "{'jsonrpc':'2.0','method':'rpc.ping','id':1}";
    assertThat(answer(ping)).isEqualTo("{'jsonrpc':'2.0','result':'pong','id':1}");
    assertThat(answer(ping, Options.builder().builtins().build())).contains("-32601");
    assertThat(answer("{'jsonrpc':'2.0','method':'rpc.status','id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','result':{'running':0,'waiting':0,'pending':0},'id':1}");
    assertThat(answer("{'jsonrpc':'2.0','method':'rpc.discover','id':1}"))
        .contains("'name':'echo'", "'openrpc':");
  }
}
