package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server answers to whatever may arrive: JSON-RPC 2.0 sections 4 to 6. */
class ClassificationTest {
  private static final String NOT_JSON =
      "{'jsonrpc':'2.0','error':{'code':-32700,'message':'Parse error'},'id':null}";
  private static final String INVALID =
      "{'jsonrpc':'2.0','error':{'code':-32600,'message':'Invalid Request'},'id':null}";

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

  /** Texts here have single quotes where JSON has double ones. */
  private @Nullable String answer(String frame, Options options) throws InterruptedException {
    byte @Nullable [] reply = Responder.of(service, options, new ChannelInfo("test", "", "message"))
        .respond(frame.replace('\'', '"').getBytes(UTF_8));
    return reply == null ? null : new String(reply, UTF_8).replace('"', '\'');
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{'jsonrpc':'2.0','method':'echo','id':1",
        "{'jsonrpc':'2.0','method':'echo','id':1}}",
        "{'jsonrpc':'2.0','method':'echo','id':1} x",
        "{'jsonrpc':'2.0','method':'echo','id':01}",
        "{'jsonrpc':'2.0','method':'ec\tho','id':1}",
        "{'jsonrpc':'2.0','method':'echo','id':1,}",
        "{jsonrpc:'2.0','method':'echo','id':1}",
        "nul",
        "[{'jsonrpc':'2.0','method':'echo','id':1},",
        "[,]",
        "[1,]",
      })
  void textThatIsNotJsonIsAnsweredWithOneParseError(String text) throws InterruptedException {
    assertThat(answer(text)).isEqualTo(NOT_JSON);
    assertThat(ran).isEmpty();
  }

  @Test
  void invalidUtf8IsAParseError() throws InterruptedException {
    byte[] frame = "{'jsonrpc':'2.0','method':'ech?','id':1}".replace('\'', '"').getBytes(UTF_8);
    frame[29] = (byte) 0xFF;
    byte @Nullable [] reply = Responder.of(
            service, Options.DEFAULT, new ChannelInfo("test", "", "message"))
        .respond(frame);
    assertThat(reply).asString(UTF_8).contains("-32700");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "'x'", "true", "null", "-0.5e7", "[]", " [ ] "})
  void anythingButAnObjectOrAFilledArrayIsOneInvalidRequest(String text)
      throws InterruptedException {
    assertThat(answer(text)).isEqualTo(INVALID);
  }

  @Test
  void anElementOfABatchThatIsNoObjectIsAnsweredInsideTheArray() throws InterruptedException {
    assertThat(answer("[1,[],{'jsonrpc':'2.0','method':'echo','id':1}]"))
        .isEqualTo("[" + INVALID + "," + INVALID + ",{'jsonrpc':'2.0','result':null,'id':1}]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "-1",
        "1.0",
        "1e3",
        "12345678901234567890",
        "12345678901234567890.10",
        "'1'",
        "''",
        "'\\u0061'",
        "'ünï'",
        "null"
      })
  void theIdComesBackAsTheLiteralThatWasSent(String id) throws InterruptedException {
    assertThat(answer("{'jsonrpc':'2.0','method':'echo','id':" + id + "}"))
        .isEqualTo("{'jsonrpc':'2.0','result':null,'id':" + id + "}");
  }

  @Test
  void membersMayStandInAnyOrderWithWhiteSpaceAnywhere() throws InterruptedException {
    assertThat(
            answer(
                " { 'params' : [ 1 , {'a':[]} ]\n,\t'id' : 7 , 'method':'echo','jsonrpc' : '2.0' }\r\n"))
        .isEqualTo("{'jsonrpc':'2.0','result':[ 1 , {'a':[]} ],'id':7}");
  }

  @Test
  void memberNamesAndTheMethodMayBeEscaped() throws InterruptedException {
    assertThat(
            answer(
                "{'\\u006asonrpc':'2\\u002e0','m\\u0065thod':'ech\\u006f','par\\u0061ms':[1],'\\u0069d':4}"))
        .isEqualTo("{'jsonrpc':'2.0','result':[1],'id':4}");
  }

  @Test
  void memberNamesAreCaseSensitive() throws InterruptedException {
    assertThat(answer("{'jsonrpc':'2.0','Method':'echo','id':1}"))
        .isEqualTo(INVALID.replace("null", "1"));
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
  void aMemberWhoseNameOnlyBeginsLikeOneOfTheEnvelopeIsAnother(String name)
      throws InterruptedException {
    assertThat(answer("{'" + name + "':[],'jsonrpc':'2.0','method':'echo','params':[7],'id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','result':[7],'id':1}");
    assertThat(answer("{'jsonrpc':'2.0','method':'echo','params':[7],'id':1,'" + name + "':0}"))
        .isEqualTo("{'jsonrpc':'2.0','result':[7],'id':1}");
  }

  @Test
  void unknownMembersAreIgnored() throws InterruptedException {
    assertThat(
            answer("{'traceparent':'x','jsonrpc':'2.0','method':'echo','extra':{'id':2},'id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','result':null,'id':1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'method':'echo','id':1}",
        "{'jsonrpc':'1.0','method':'echo','id':1}",
        "{'jsonrpc':2.0,'method':'echo','id':1}",
        "{'jsonrpc':null,'method':'echo','id':1}",
        "{'jsonrpc':'2.0','id':1}",
        "{'jsonrpc':'2.0','method':1,'id':1}",
        "{'jsonrpc':'2.0','method':null,'id':1}",
        "{'jsonrpc':'2.0','method':'echo','params':null,'id':1}",
        "{'jsonrpc':'2.0','method':'echo','params':'bar','id':1}",
        "{'jsonrpc':'2.0','method':'echo','params':5,'id':1}",
        "{'jsonrpc':'2.0','method':'echo','params':true,'id':1}",
        "{'jsonrpc':'2.0','method':'echo','result':1,'id':1}",
        "{'jsonrpc':'2.0','method':'echo','error':{'code':1,'message':''},'id':1}",
      })
  void anInvalidRequestIsAnsweredWithItsIdWhereThatIsUsable(String request)
      throws InterruptedException {
    assertThat(answer(request)).isEqualTo(INVALID.replace("null", "1"));
    assertThat(ran).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','method':'echo','id':true}",
        "{'jsonrpc':'2.0','method':'echo','id':{}}",
        "{'jsonrpc':'2.0','method':'echo','id':[1]}",
        "{'jsonrpc':'2.0','method':1,'params':'bar'}",
        "{'foo':'boo'}",
        "{}",
        "{'jsonrpc':'2.0'}",
        "{'method':'echo'}",
      })
  void anInvalidRequestWithoutAUsableIdIsAnsweredWithNull(String request)
      throws InterruptedException {
    assertThat(answer(request)).isEqualTo(INVALID);
    assertThat(ran).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','jsonrpc':'2.0','method':'echo','id':1}",
        "{'jsonrpc':'2.0','method':'echo','method':'echo','id':1}",
        "{'jsonrpc':'2.0','method':'echo','params':[],'params':[],'id':1}",
        "{'jsonrpc':'2.0','method':'echo','id':1,'m\\u0065thod':'echo'}",
      })
  void anEnvelopeMemberThatStandsTwiceMakesTheRequestInvalid(String request)
      throws InterruptedException {
    assertThat(answer(request)).isEqualTo(INVALID.replace("null", "1"));
    assertThat(ran).isEmpty();
  }

  @Test
  void ofTwoIdsNeitherIsEchoed() throws InterruptedException {
    assertThat(answer("{'jsonrpc':'2.0','method':'echo','id':1,'\\u0069d':2}")).isEqualTo(INVALID);
  }

  @Test
  void aMemberThatStandsTwiceFurtherDownIsData() throws InterruptedException {
    assertThat(answer("{'jsonrpc':'2.0','method':'echo','params':{'a':1,'a':2},'id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','result':{'a':1,'a':2},'id':1}");
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','result':1,'id':1}",
        "{'jsonrpc':'2.0','error':{'code':1,'message':'x'},'id':1}",
      })
  void aResponseIsAnInvalidRequestWhereNobodyCalls(String response) throws InterruptedException {
    assertThat(answer(response)).contains("-32600");
  }

  @Test
  void callsWithTheSameIdAreEachAnswered() throws InterruptedException {
    String call = "{'jsonrpc':'2.0','method':'echo','id':1}";
    String result = "{'jsonrpc':'2.0','result':null,'id':1}";
    assertThat(answer("[" + call + "," + call + "]")).isEqualTo("[" + result + "," + result + "]");
  }

  @Test
  void nothingOfAnExceptionReachesTheWire() throws InterruptedException {
    assertThat(answer("{'jsonrpc':'2.0','method':'fail','id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','error':{'code':-32603,'message':'Internal error'},'id':1}");
  }

  @Test
  void anExceptionCanBeMappedToACode() throws InterruptedException {
    Options options =
        Options.DEFAULT.mapping(IllegalStateException.class, new RpcError(-7, "Not now"));
    assertThat(answer("{'jsonrpc':'2.0','method':'fail','id':1}", options))
        .isEqualTo("{'jsonrpc':'2.0','error':{'code':-7,'message':'Not now'},'id':1}");
  }

  @Test
  void nestingUpToTheLimitIsAcceptedAndOneMoreIsAParseError() throws InterruptedException {
    assertThat(answer("[".repeat(Limits.DEPTH) + "]".repeat(Limits.DEPTH))).contains("-32600");
    assertThat(answer("[".repeat(Limits.DEPTH + 1) + "]".repeat(Limits.DEPTH + 1)))
        .isEqualTo(NOT_JSON);
    assertThat(answer("[".repeat(100_000))).isEqualTo(NOT_JSON);
  }

  @Test
  void aBatchPastItsLimitIsOneInvalidRequest() throws InterruptedException {
    Options options = Options.DEFAULT.with(Limits.DEFAULT.withBatch(2));
    String call = "{'jsonrpc':'2.0','method':'echo','id':1}";
    assertThat(answer("[" + call + "," + call + "]", options)).startsWith("[");
    assertThat(answer("[" + call + "," + call + "," + call + "]", options)).isEqualTo(INVALID);
    assertThat(ran).hasSize(2);
  }

  @Test
  void nullParamsAreToleratedWhereAsked() throws InterruptedException {
    Options options = Options.DEFAULT.lenient(Options.Lenience.NULL_PARAMS);
    assertThat(answer("{'jsonrpc':'2.0','method':'echo','params':null,'id':1}", options))
        .isEqualTo("{'jsonrpc':'2.0','result':null,'id':1}");
  }

  @Test
  void aMissingVersionIsToleratedWhereAsked() throws InterruptedException {
    Options options = Options.DEFAULT.lenient(Options.Lenience.MISSING_VERSION);
    assertThat(answer("{'method':'echo','id':1}", options))
        .isEqualTo("{'jsonrpc':'2.0','result':null,'id':1}");
    assertThat(answer("{'jsonrpc':'1.0','method':'echo','id':1}", options)).contains("-32600");
  }

  @Test
  void methodsOfOurOwnAnswerUnlessSwitchedOff() throws InterruptedException {
    String ping = "{'jsonrpc':'2.0','method':'rpc.ping','id':1}";
    assertThat(answer(ping)).isEqualTo("{'jsonrpc':'2.0','result':'pong','id':1}");
    assertThat(answer(ping, Options.DEFAULT.offering())).contains("-32601");
    assertThat(answer("{'jsonrpc':'2.0','method':'rpc.status','id':1}"))
        .isEqualTo("{'jsonrpc':'2.0','result':{'running':0,'waiting':0,'pending':0},'id':1}");
    assertThat(answer("{'jsonrpc':'2.0','method':'rpc.discover','id':1}"))
        .contains("'name':'echo'", "'openrpc':");
  }
}
