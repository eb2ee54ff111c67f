package dev.repartee.a2a.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests faulty params in both versions, and the defaults of a client. */
class ParamsTest {
  private static final String SEND = """
      {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"AQI="},{"text":"x"}]},\
      "configuration":{"taskPushNotificationConfig":{"url":"u","authentication":{"scheme":"s"}},\
      "historyLength":1,"returnImmediately":true}}""";

  private static final String OLD_SEND = """
      {"message":{"kind":"message","messageId":"m","role":"user","parts":[\
      {"kind":"file","file":{"bytes":"AQI="}},{"kind":"text","text":"x"}]},\
      "configuration":{"pushNotificationConfig":{"url":"u","authentication":{"schemes":["s"]}},\
      "historyLength":1,"blocking":false}}""";

  private static final String LIST = """
      {"status":"TASK_STATE_WORKING","pageSize":1,"statusTimestampAfter":"2025-10-28T10:30:00Z"}""";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'message' | 'other' | message: is missing",
        "'m' | '' | message.messageId: has to be a string with at least one character",
        "'m' | 1 | message.messageId: has to be a string",
        "'ROLE_USER' | 'ROLE_X' | message.role: has to be ROLE_USER",
        "[{'raw':'AQI='},{'text':'x'}] | [] | message.parts: needs at least one part",
        "'text':'x' | 'text':'x','url':'u' | message.parts[1].text: a part needs exactly one of "
            + "text, raw, url and data",
        "'text':'x' | 'text':1 | message.parts[1].text: has to be a string",
        "AQI= | ? | message.parts[0].raw: has to be a string in Base64",
        "'url' | 'uri' | configuration.taskPushNotificationConfig.url: is missing",
        "'scheme' | 'x' | configuration.taskPushNotificationConfig.authentication.scheme: is missing",
        "'historyLength':1 | 'historyLength':-1 | configuration.historyLength: must not be negative",
        "'historyLength':1 | 'historyLength':1.5 | configuration.historyLength: has to be an integer",
        "true | 1 | configuration.returnImmediately: has to be a boolean",
      })
  void aFaultOfVersion10HasItsPath(String part, String other, String fault) {
    A2aJson codec = A2aJson.strict(ProtocolVersion.V1_0);
    assertThat(codec.send(codec.readSend(Json.parse(SEND)))).isEqualTo(Json.parse(SEND));
    assertThatThrownBy(() -> codec.readSend(changed(SEND, part, other)))
        .isInstanceOf(FieldException.class)
        .hasMessage(fault);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'user' | 'agents' | message.role: has to be user",
        "'kind':'text' | 'kind':'x' | message.parts[1].kind: has to be text, file or data",
        "'text':'x' | 'y':'x' | message.parts[1].text: is missing",
        "'bytes' | 'x' | message.parts[0].file.uri: a file needs bytes or uri",
        "AQI= | ? | message.parts[0].file.bytes: has to be a string in Base64",
        "'url' | 'uri' | configuration.pushNotificationConfig.url: is missing",
        "['s'] | [] | configuration.pushNotificationConfig.authentication.schemes: needs at least "
            + "one scheme",
        "false | 1 | configuration.blocking: has to be a boolean",
      })
  void aFaultOfVersion03HasItsPath(String part, String other, String fault) {
    A2aJson codec = A2aJson.strict(ProtocolVersion.V0_3);
    Json params = Json.parse(OLD_SEND);
    assertThat(codec.send(codec.readSend(params))).matches(params::isSameValue);
    assertThatThrownBy(() -> codec.readSend(changed(OLD_SEND, part, other)))
        .isInstanceOf(FieldException.class)
        .hasMessage(fault);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "WORKING | BUSY | status: has to be the name of a state, such as TASK_STATE_WORKING",
        "'pageSize':1 | 'pageSize':0 | pageSize: has to be between 1 and 100",
        "10:30:00Z | 10:30 | statusTimestampAfter: has to be a time such as 2025-10-28T10:30:00.000Z",
      })
  void aFaultOfAListHasItsPath(String part, String other, String fault) {
    A2aJson codec = A2aJson.strict(ProtocolVersion.V1_0);
    assertThat(codec.readList(Json.parse(LIST)).pageSize()).isEqualTo(1);
    assertThatThrownBy(() -> codec.readList(changed(LIST, part, other)))
        .isInstanceOf(FieldException.class)
        .hasMessage(fault);
  }

  private static Json changed(String params, String part, String other) {
    String quoted = part.replace('\'', '"');
    assertThat(params).contains(quoted);
    return Json.parse(params.replace(quoted, other.replace('\'', '"')));
  }

  @Test
  void aClientReadsATaskWithoutItsRequiredMembers() {
    for (ProtocolVersion version : ProtocolVersion.values()) {
      A2aJson codec = A2aJson.lenient(version);
      Json task = Json.parse("""
          {"id":"t","status":{"state":"new","timestamp":"now"},"history":[{}]}""");
      assertThat(codec.readTask(task).history().get(0).messageId()).isEmpty();
      assertThat(codec.readTask(task).status().timestamp()).isNull();
    }
  }
}
