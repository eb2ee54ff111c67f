package dev.repartee.envelopes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.message.Notification;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.Request;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages that were cut, or changed at one byte. */
class DamagedMessagesTest {
  private static final byte[] BYTES = "{}[]\",:\\ntf09- é\u0001".getBytes(UTF_8);

  static Stream<Arguments> messages() {
    return Stream.of(
        Arguments.of(new JsonRpc10().codec(), """
            {"method":"m\\u0041","params":[1,"é"],"id":[7]}"""),
        Arguments.of(new JsonRpc10().codec(), "{\"method\":\"m\",\"params\":[],\"id\":null}"),
        Arguments.of(
            new JsonRpc10().codec(), "{\"result\":{\"a\":[true]},\"error\":null,\"id\":1}"),
        Arguments.of(new Dap().codec(), """
            {"seq":12,"type":"request","command":"next","arguments":{"a":1}}"""),
        Arguments.of(new Dap().codec(), """
            {"seq":12,"type":"event","event":"e","body":{}}"""),
        Arguments.of(new Dap().codec(), """
            {"seq":1,"type":"response","request_seq":1,"success":true,\
            "command":"initialize","body":{"supportsCancelRequest":true}}"""),
        Arguments.of(new Lazydap().codec(), """
            {"version":10,"id":7,"payload":{"Request":{"Eval":{"expression":"é\\n"}}}}"""),
        Arguments.of(new Lazydap().codec(), """
            {"version":10,"id":7,"payload":{"Request":"Ping"}}"""),
        Arguments.of(called(new Lazydap().codec()), """
            {"version":10,"id":1,"payload":{"Response":{"Pong":{"version":10}}}}"""),
        Arguments.of(called(new Lazydap().codec()), """
            {"version":10,"id":0,"payload":{"Event":{"Stopped":{"thread_id":1}}}}"""),
        Arguments.of(new Mxr().codec(), """
            {"id":7,"source":"cli","payload":{"type":"Request","query":"é",\
            "cmd":"Search","limit":10}}"""),
        Arguments.of(new Mxr().codec(), """
            {"id":7,"payload":{"type":"Response","status":"Ok","data":{"kind":"Pong"}}}"""),
        Arguments.of(new Mxr().codec(), """
            {"id":0,"payload":{"type":"Event","event":"EventsLagged","skipped":1}}"""));
  }

  /** Returns the codec of a side that has called, and so takes responses. */
  private static Codec called(Codec codec) {
    codec.beginCall(new JsonWriter(), 1, "Ping", false);
    return codec;
  }

  @ParameterizedTest
  @MethodSource("messages")
  void areNoJsonOrOneMessage(Codec codec, String message) {
    byte[] whole = message.getBytes(UTF_8);
    ParsedFrame frame = new ParsedFrame(Limits.DEFAULT, Set.of());
    for (int i = 0; i < whole.length; i++) {
      read(codec, Arrays.copyOf(whole, i), frame);
      byte[] changed = whole.clone();
      for (byte other : BYTES) {
        changed[i] = other;
        read(codec, changed, frame);
      }
    }
    assertThat(read(codec, whole, frame)).isTrue();
    assertThat(frame.kind(0)).isNotEqualTo(ParsedFrame.INVALID);
  }

  private static boolean read(Codec codec, byte[] text, ParsedFrame frame) {
    try {
      codec.decode(text, 0, text.length, frame);
    } catch (JsonException e) {
      return false;
    }
    assertThat(frame.count()).isEqualTo(1);
    assertThat(frame.isBatch()).isFalse();
    if (frame.kind(0) == ParsedFrame.REQUEST) {
      Request request = (Request) frame.message(0);
      isValid(request.id().json());
      isValid(request.params());
    } else if (frame.kind(0) == ParsedFrame.NOTIFICATION) {
      isValid(((Notification) frame.message(0)).params());
    }
    return true;
  }

  private static void isValid(Json value) {
    if (value != null) {
      assertThat(Json.parse(value.toBytes())).isEqualTo(value);
    }
  }

  @Test
  void anyJsonIsReadAsAnError() {
    for (Codec codec : new Codec[] {
      new JsonRpc10().codec(), new Dap().codec(), new Lazydap().codec(), new Mxr().codec()
    }) {
      for (String error : new String[] {
        "null",
        "true",
        "1e400",
        "\"\"",
        "[]",
        "{}",
        "{\"code\":99999999999,\"message\":\"m\"}",
        "{\"message\":1,\"body\":[]}",
        "{\"code\":7,\"message\":\"m\",\"details\":[]}",
        "{\"kind\":7,\"message\":\"m\",\"details\":{\"rpc_code\":\"x\"}}",
        "{\"body\":{\"error\":7}}",
        "{\"body\":{\"error\":{\"id\":\"x\",\"format\":[]}}}"
      }) {
        assertThat(codec.readError(Json.parse(error)).message()).isNotNull();
      }
    }
  }
}
