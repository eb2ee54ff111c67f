package dev.repartee.examples.traces;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.lsp.types.DiagnosticSeverity;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The findings, in files of both forms. */
class TraceTextTest {
  private static final String HEADER = """
      {"repartee":"recording","version":1,"started":"2026-01-31T12:00:00Z"}
      """;

  /** Returns the findings: the line from 1 on, the text in the range, and the sentence. */
  private static List<String> findings(String text) {
    return findings(TraceText.of(text));
  }

  private static List<String> findings(TraceText trace) {
    return trace.findings(1_000).stream()
        .map(found -> found.line() + 1 + " "
            + trace
                .line(found.line())
                .substring(found.finding().from(), found.finding().to())
            + " " + found.finding().sentence())
        .toList();
  }

  private static String lines(String... lines) {
    return String.join("\n", lines).replace('\'', '"');
  }

  /** Returns a recording with these messages, in one connection; each after its direction. */
  private static String recording(String... messages) {
    StringBuilder text = new StringBuilder(HEADER);
    int time = 1_000;
    for (String message : messages) {
      String[] parts = message.split(" ", 2);
      text.append("{\"t\":")
          .append(time += 500)
          .append(",\"conn\":1,\"dir\":\"")
          .append(parts[0]);
      text.append("\",\"size\":1,").append(parts[1].replace('\'', '"')).append("}\n");
    }
    return text.toString();
  }

  /** Each look-up that compares all of them would take hours. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void idsAndTokensWithTheSameHashCodeArePairedFast() {
    int bits = 15;
    String text = IntStream.range(0, 1 << bits)
        .mapToObj(i -> IntStream.range(0, bits)
            .mapToObj(bit -> (i >> bit & 1) == 0 ? "Aa" : "BB")
            .collect(Collectors.joining()))
        .map(id -> "{'jsonrpc':'2.0','id':'" + id
            + "','method':'m','params':{'workDoneToken':'" + id + "'}}\n"
            + "{'jsonrpc':'2.0','method':'$/progress','params':{'token':'" + id + "'}}\n"
            + "{'jsonrpc':'2.0','id':'" + id + "','result':1}\n")
        .collect(Collectors.joining());

    assertThat(findings(text.replace('\'', '"'))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      {'jsonrpc':'2.0','method':'a'                   | ' | at offset 29: expected ',' or '}'
      {'jsonrpc':'2.0','method':a}                    | a | at offset 26: expected a value
      {'jsonrpc':'2.0','method':'a'} {}               | { | text after the message
      {'method':'a'}                                  | * | 'jsonrpc' is missing
      {'jsonrpc':'1.0','method':'a'}                  | "1.0" | has to be the string '2.0'
      {'jsonrpc':'2.0','method':7,'params':[]}        | 7 | 'method' is a number
      {'jsonrpc':'2.0','method':'a','params':'x'}     | "x" | 'params' is a string
      {'jsonrpc':'2.0','method':'a','params':null}    | null | 'params' is null
      {'jsonrpc':'2.0','method':'a','id':[1]}         | [1] | 'id' is an array
      {'jsonrpc':'2.0','id':1,'method':'a','id':2}    | 2 | 'id' occurs twice
      {'jsonrpc':'2.0','result':1,'error':{},'id':null} | {} | exclude each other
      {'jsonrpc':'2.0','method':'a','result':1}       | 1 | 'method' and the member 'result'
      {'jsonrpc':'2.0','result':1}                    | * | 'id' is missing
      {'jsonrpc':'2.0'}                               | * | 'method' is missing
      {'jsonrpc':'2.0','error':7,'id':null}           | 7 | 'code' of the error is missing
      {'jsonrpc':'2.0','error':{'code':1},'id':null}  | {"code":1} | 'message' of the error
      {'jsonrpc':'2.0','error':{'code':'x','message':'m'},'id':null} | {"code":"x","message":"m"} | 'code' of the error is a string
      {'jsonrpc':'2.0','error':{'code':1.5,'message':'m'},'id':null} | {"code":1.5,"message":"m"} | 'code' of the error
      {'jsonrpc':'2.0','result':1,'id':null}          | null | only the response to an unreadable
      17                                              | * | is a number, but has to be an object
      []                                              | * | the batch is empty
      [1]                                             | 1 | is a number, but has to be an object
      [{'jsonrpc':'2.0','method':'a'},[]]             | [] | is an array, but has to be an object
      [{'jsonrpc':'2.0','method':'a'},{'method':'b'}] | {"method":"b"} | 'jsonrpc' is missing
      """)
  void aMessageThatBreaksJsonRpcIsFoundWithItsPlace(String line, String marked, String sentence) {
    String text = line.replace('\'', '"');

    List<String> findings = findings(text);

    assertThat(findings).hasSize(1);
    assertThat(findings.get(0))
        .startsWith("1 " + (marked.equals("*") ? text : marked.replace('\'', '"')) + " ");
    assertThat(findings.get(0)).contains(sentence);
  }

  @Test
  void charactersAreCountedInUtf16() {
    assertThat(findings(lines("{'é€😀':1,'jsonrpc':'2.0','method':'😀','params':'€'}")))
        .containsExactly(
            "1 \"€\" the member 'params' is a string, but has to be an array or an object");
  }

  @Test
  void validMessagesHaveNoFindings() {
    assertThat(findings(lines(
            "{'jsonrpc':'2.0','method':'a','id':1}",
            "",
            "{'jsonrpc':'2.0','method':'n','params':{}}\r",
            "{'jsonrpc':'2.0','result':null,'id':1}",
            "[{'jsonrpc':'2.0','method':'b','id':'x'},{'jsonrpc':'2.0','method':'n'}]",
            "[{'jsonrpc':'2.0','result':2,'id':'x'}]",
            "{'jsonrpc':'2.0','error':{'code':-32700,'message':'Parse error'},'id':null}",
            "")))
        .isEmpty();
  }

  @Test
  void requestsAndResponsesThatDoNotFitTogetherAreFound() {
    assertThat(findings(lines(
            "{'jsonrpc':'2.0','method':'a','id':1}",
            "{'jsonrpc':'2.0','method':'b','id':1}",
            "{'jsonrpc':'2.0','result':2,'id':1}",
            "{'jsonrpc':'2.0','result':1,'id':1}",
            "{'jsonrpc':'2.0','result':0,'id':1}",
            "{'jsonrpc':'2.0','result':0,'id':'1'}",
            "{'jsonrpc':'2.0','method':'c','id':7}")))
        .containsExactly(
            "2 1 the request in line 1 with the same id has no response yet",
            "5 1 the request in line 1 has a response already, in line 4",
            "6 \"1\" no request with the id \"1\" came before",
            "7 7 no response in this trace");
  }

  @Test
  void theSameIdTwiceInABatchIsFound() {
    assertThat(findings(lines(
            "[{'jsonrpc':'2.0','method':'a','id':1},{'jsonrpc':'2.0','method':'b','id':1}]",
            "[{'jsonrpc':'2.0','result':2,'id':1},{'jsonrpc':'2.0','result':2,'id':1}]")))
        .containsExactly("1 1 the request in line 1 with the same id has no response yet");
  }

  @Test
  void aBatchOfRequestsAndResponsesIsFound() {
    assertThat(findings(lines(
            "{'jsonrpc':'2.0','method':'a','id':1}",
            "[{'jsonrpc':'2.0','result':2,'id':1},{'jsonrpc':'2.0','method':'n'}]")))
        .containsExactly("2 [ the batch has requests and responses; a batch should have messages of"
            + " one kind");
  }

  @Test
  void idsThatTheSpecificationAdvisesAgainstAreFound() {
    assertThat(findings(lines(
            "{'jsonrpc':'2.0','method':'a','id':1.5}",
            "{'jsonrpc':'2.0','result':1,'id':1.5}",
            "{'jsonrpc':'2.0','method':'a','id':null}",
            "{'jsonrpc':'2.0','result':1,'id':null}")))
        .containsExactly(
            "1 1.5 a number as id should have no fraction",
            "3 null the id of a request should not be null: the response looks like one to an"
                + " unreadable message");
  }

  @Test
  void aFaultyMessageStillFindsItsRequestOrResponse() {
    assertThat(findings(lines(
            "{'method':'a','id':1}",
            "{'jsonrpc':'2.0','error':{'code':-32600,'message':'Invalid Request'},'id':1}",
            "{'jsonrpc':'2.0','method':'b','id':2}",
            "{'jsonrpc':'2.0','error':{},'id':2}",
            "{'jsonrpc':'2.0','method':'b','id':3}",
            "{'jsonrpc':'2.0','error':{},'result':1,'id':3}")))
        .hasSize(3)
        .extracting(finding -> finding.charAt(0))
        .containsExactly('1', '4', '6');
  }

  @Test
  void inARecordingAResponseAnswersOnlyTheOtherSide() {
    assertThat(findings(recording(
            "in 'message':{'jsonrpc':'2.0','method':'a','id':1}",
            "out 'message':{'jsonrpc':'2.0','method':'b','id':1}",
            "in 'message':{'jsonrpc':'2.0','result':0,'id':1}",
            "out 'message':{'jsonrpc':'2.0','result':0,'id':1}",
            "in 'message':{'jsonrpc':'2.0','method':'c','id':2}",
            "in 'message':{'jsonrpc':'2.0','result':0,'id':2}")))
        .containsExactly(
            "6 2 no response in this trace",
            "7 2 no request with the id 2 came before from the other side of this connection");
  }

  @Test
  void aRequestWithoutResponseIsReportedWithTheEndOfItsConnection() {
    assertThat(findings(recording("in 'message':{'jsonrpc':'2.0','method':'a','id':1}")
                .replace(
                    "{\"t\":1500",
                    lines(
                        "{'t':1,'conn':1,'event':'opened','transport':'tcp',"
                            + "'peer':'','framing':'auto'}",
                        "{'t':1500"))
            + lines("{'t':9000,'conn':1,'event':'closed','reason':'reset'}", "")))
        .containsExactly(
            "3 1 no response before the connection closes in line 4",
            "4 " + lines("{'t':9000,'conn':1,'event':'closed','reason':'reset'}")
                + " the connection failed: reset");
  }

  @Test
  void whereMessagesAreMissingFromARecordingNoneIsMissed() {
    assertThat(findings(recording(
            "in 'message':{'jsonrpc':'2.0','method':'a','id':1}",
            "in 'cut':true,'text':'{'",
            "out 'message':{'jsonrpc':'2.0','result':0,'id':2}")))
        .isEmpty();
    assertThat(findings(recording("in 'message':{'jsonrpc':'2.0','method':'a','id':1}")
            + lines("{'t':9000,'conn':0,'event':'lost','entries':3}", "")))
        .containsExactly("3 " + lines("{'t':9000,'conn':0,'event':'lost','entries':3}")
            + " 3 events are missing here");
  }

  @Test
  void aLineThatBreaksTheFormatOfRecordingsIsFound() {
    String opened = "{'t':1,'conn':1,'event':'opened','peer':'','framing':'auto'}";
    assertThat(findings(HEADER + lines(opened, "{'t':1,'conn':1}", "{'t':1,", "", "")))
        .containsExactly(
            "2 " + lines(opened) + " not a line of a recording: the member 'transport' is missing",
            "3 " + lines("{'t':1,'conn':1}")
                + " not a line of a recording: the member 'dir' is missing",
            "4 , not a line of a recording: at offset 7: expected a member name in quotes",
            "5  not a line of a recording: at offset 0: the text ends where a value is expected");
    assertThat(findings(HEADER.replace(":1,", ":2,")).get(0))
        .contains("this release reads the version 1 of recordings, not 2");
  }

  @Test
  void textThatIsNotJsonAndFaultsAreFoundInARecording() {
    assertThat(findings(recording("in 'text':'GET / HTTP/1.1'")))
        .hasSize(1)
        .allSatisfy(finding -> assertThat(finding).endsWith("the message is not JSON"));
    assertThat(findings(HEADER + lines("{'t':1,'conn':1,'event':'fault','reason':'no frame'}")))
        .hasSize(1)
        .allSatisfy(finding -> assertThat(finding).endsWith("broke the protocol: no frame"));
  }

  @Test
  void theGravestOfTooManyFindingsAreKeptAndOthersCounted() {
    String hints = Stream.iterate(0, id -> id + 1)
        .limit(20)
        .map(id -> lines("{'jsonrpc':'2.0','method':'a','id':" + id + "}"))
        .collect(Collectors.joining("\n"));
    List<TraceText.Found> found = TraceText.of(hints + "\n[]").findings(5);

    assertThat(found).hasSize(6);
    assertThat(found.get(0).finding().sentence()).isEqualTo("no response in this trace");
    assertThat(found)
        .extracting(each -> each.finding().sentence())
        .contains("16 more findings are not shown", "the batch is empty");
    assertThat(found.get(5).finding().severity()).isEqualTo(DiagnosticSeverity.ERROR);
  }

  @Test
  void aDocumentBeyondTheLimitsIsNotRead() {
    String many = "\n".repeat(TraceText.MOST_LINES);
    assertThat(findings(many)).hasSize(1);
    assertThat(findings(many).get(0)).contains("not read");
    assertThat(TraceText.of(many).changed("[]").findings(10)).hasSize(1);
    assertThat(findings(TraceText.of("[]").changed(many)).get(0)).contains("not read");
    String batch = "[" + """
        {"jsonrpc":"2.0","method":""},""".repeat(9_999) + "1]\n";
    assertThat(findings(batch)).hasSize(1);
    assertThat(findings(batch.repeat(41)).get(0)).contains("not read");
  }

  @Test
  void longTextOfATraceIsCutInAFinding() {
    String line = lines("{'t':1,'conn':1,'event':'fault','reason':'" + "x".repeat(9_000) + "'}");

    assertThat(TraceText.of(HEADER + line).findings(1).get(0).finding().sentence())
        .hasSizeLessThan(400);
  }

  @Test
  void aChangedDocumentIsReadAsIfItWereNew() {
    Random random = new Random(17);
    String[] pieces = lines(
            "{'jsonrpc':'2.0','method':'a','id':1}",
            "{'jsonrpc':'2.0','result':1,'id':1}",
            "[]",
            "{",
            "\r",
            "\r\n",
            "",
            "{'repartee':'recording','version':1,'started':'x'}")
        .split("\n");
    String text = HEADER;
    TraceText trace = TraceText.of(text);
    for (int i = 0; i < 3_000; i++) {
      int from = random.nextInt(text.length() + 1);
      int to = Math.min(text.length(), from + random.nextInt(12));
      String piece = pieces[random.nextInt(pieces.length)] + (random.nextBoolean() ? "\n" : "");
      text = text.length() > 2_000 ? HEADER : text.substring(0, from) + piece + text.substring(to);

      trace = trace.changed(text);

      TraceText fresh = TraceText.of(text);
      assertThat(trace.size()).isEqualTo(fresh.size());
      assertThat(findings(trace)).isEqualTo(findings(fresh));
    }
  }

  @Test
  void unchangedLinesAreNotReadAgain() {
    String line = lines("{'jsonrpc':'2.0','method':'a'}", "");
    TraceText before = TraceText.of(line.repeat(5));

    TraceText after = before.changed(line.repeat(2) + "x" + line.repeat(4));

    assertThat(after.size()).isEqualTo(7);
    for (int i : new int[] {0, 1, 3, 4, 5}) {
      assertThat(after.facts(i)).isSameAs(before.facts(i < 2 ? i : i - 1));
    }
  }
}
