package dev.repartee.testkit;

import dev.repartee.testkit.WorkedExamples.Example;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a server answers to whatever may arrive (JSON-RPC 2.0 sections 4 to 6), for one that offers
 * {@link ExampleMethods} and tolerates nothing.
 */
public final class ClassificationTable {
  private static final String NOT_JSON =
      "{'jsonrpc':'2.0','error':{'code':-32700,'message':'Parse error'},'id':null}";
  private static final String INVALID =
      "{'jsonrpc':'2.0','error':{'code':-32600,'message':'Invalid Request'},'id':null}";
  private static final String INVALID_1 = INVALID.replace("null", "1");
  private static final String DATA = "{'jsonrpc':'2.0','result':['hello',5],'id':1}";

  private ClassificationTable() {}

  /** All rows, those that are refused first; an answer is always one frame or none. */
  public static List<Example> all() {
    return Stream.of(refused(), ids(), taken(), silent()).flatMap(List::stream).toList();
  }

  /** The rows of which nothing may run. */
  public static List<Example> refused() {
    return Stream.of(notJson(), notAnObject(), invalid(), invalidWithoutId(), twice())
        .flatMap(List::stream)
        .toList();
  }

  /**
   * The rows of responses that answer no call: invalid requests where the server cannot have called,
   * as over HTTP, and never answered where it could have.
   */
  public static List<Example> responses(boolean oneWay) {
    return rows(
        oneWay
            ? "a response is an invalid request where nobody calls"
            : "a response that no call waits for is never answered",
        oneWay ? INVALID : null,
        "{'jsonrpc':'2.0','result':1,'id':1}",
        "{'jsonrpc':'2.0','error':{'code':1,'message':'x'},'id':1}",
        "{'jsonrpc':'2.0','error':{'code':1,'message':'x'},'id':null}");
  }

  private static List<Example> notJson() {
    return rows(
        "text that is not JSON is answered with one parse error",
        NOT_JSON,
        "",
        " ",
        "{",
        "{'jsonrpc':'2.0','method':'get_data','id':1",
        "{'jsonrpc':'2.0','method':'get_data','id':1}}",
        "{'jsonrpc':'2.0','method':'get_data','id':1} x",
        "{'jsonrpc':'2.0','method':'get_data','id':01}",
        "{'jsonrpc':'2.0','method':'get\tdata','id':1}",
        "{'jsonrpc':'2.0','method':'get_data','id':1,}",
        "{jsonrpc:'2.0','method':'get_data','id':1}",
        "nul",
        "[{'jsonrpc':'2.0','method':'get_data','id':1},",
        "[,]",
        "[1,]");
  }

  private static List<Example> notAnObject() {
    List<Example> rows = new ArrayList<>(rows(
        "anything but an object or a filled array is one invalid request",
        INVALID,
        "1",
        "'x'",
        "true",
        "null",
        "-0.5e7",
        "[]",
        " [ ] "));
    rows.add(row(
        "an element of a batch that is no object is answered inside the array",
        "[1,[]]",
        "[" + INVALID + "," + INVALID + "]"));
    return rows;
  }

  private static List<Example> invalid() {
    return rows(
        "an invalid request is answered with its id where that is usable",
        INVALID_1,
        "{'method':'get_data','id':1}",
        "{'jsonrpc':'1.0','method':'get_data','id':1}",
        "{'jsonrpc':2.0,'method':'get_data','id':1}",
        "{'jsonrpc':null,'method':'get_data','id':1}",
        "{'jsonrpc':'2.0','id':1}",
        "{'jsonrpc':'2.0','method':1,'id':1}",
        "{'jsonrpc':'2.0','method':null,'id':1}",
        "{'jsonrpc':'2.0','Method':'get_data','id':1}",
        "{'jsonrpc':'2.0','method':'get_data','params':null,'id':1}",
        "{'jsonrpc':'2.0','method':'get_data','params':'bar','id':1}",
        "{'jsonrpc':'2.0','method':'get_data','params':5,'id':1}",
        "{'jsonrpc':'2.0','method':'get_data','params':true,'id':1}",
        "{'jsonrpc':'2.0','method':'get_data','result':1,'id':1}",
        "{'jsonrpc':'2.0','method':'get_data','error':{'code':1,'message':''},'id':1}");
  }

  private static List<Example> invalidWithoutId() {
    return rows(
        "an invalid request without a usable id is answered with null",
        INVALID,
        "{'jsonrpc':'2.0','method':'get_data','id':true}",
        "{'jsonrpc':'2.0','method':'get_data','id':{}}",
        "{'jsonrpc':'2.0','method':'get_data','id':[1]}",
        "{'jsonrpc':'2.0','method':1,'params':'bar'}",
        "{'foo':'boo'}",
        "{}",
        "{'jsonrpc':'2.0'}",
        "{'method':'get_data'}");
  }

  private static List<Example> twice() {
    List<Example> rows = new ArrayList<>(rows(
        "an envelope member that stands twice makes the request invalid",
        INVALID_1,
        "{'jsonrpc':'2.0','jsonrpc':'2.0','method':'get_data','id':1}",
        "{'jsonrpc':'2.0','method':'get_data','method':'get_data','id':1}",
        "{'jsonrpc':'2.0','method':'get_data','params':[],'params':[],'id':1}",
        "{'jsonrpc':'2.0','method':'get_data','id':1,'m\\u0065thod':'get_data'}"));
    rows.add(row(
        "of two ids neither is echoed",
        "{'jsonrpc':'2.0','method':'get_data','id':1,'\\u0069d':2}",
        INVALID));
    return rows;
  }

  private static List<Example> ids() {
    return Stream.of(
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
            "null")
        .map(id -> row(
            "the id comes back as the literal that was sent",
            "{'jsonrpc':'2.0','method':'get_data','id':" + id + "}",
            DATA.replace(":1}", ":" + id + "}")))
        .toList();
  }

  private static List<Example> taken() {
    return List.of(
        row(
            "members may stand in any order with white space anywhere",
            " { 'params' : [ {'a':[ ]} ]\n,\t'id' : 7 , 'method':'echo','jsonrpc' : '2.0' }\r\n",
            "{'jsonrpc':'2.0','result':{'a':[ ]},'id':7}"),
        row(
            "member names and the method may be escaped",
            "{'\\u006asonrpc':'2\\u002e0','m\\u0065thod':'ech\\u006f','par\\u0061ms':[1],'\\u0069d':4}",
            "{'jsonrpc':'2.0','result':1,'id':4}"),
        row(
            "unknown members are ignored",
            "{'traceparent':'x','jsonrpc':'2.0','method':'get_data','extra':{'id':2},'id':1}",
            DATA),
        row(
            "a member that stands twice further down is data",
            "{'jsonrpc':'2.0','method':'echo','params':[{'a':1,'a':2}],'id':1}",
            "{'jsonrpc':'2.0','result':{'a':1,'a':2},'id':1}"),
        row(
            "the good elements of a batch are answered beside the bad ones",
            "[1,{'jsonrpc':'2.0','method':'get_data','id':1},[]]",
            "[" + INVALID + "," + DATA + "," + INVALID + "]"),
        row(
            "calls with the same id are each answered",
            "[{'jsonrpc':'2.0','method':'get_data','id':1},"
                + "{'jsonrpc':'2.0','method':'get_data','id':1}]",
            "[" + DATA + "," + DATA + "]"));
  }

  private static List<Example> silent() {
    return rows(
        "a notification is never answered",
        null,
        "{'jsonrpc':'2.0','method':'get_data'}",
        "{'jsonrpc':'2.0','method':'nothing'}",
        "{'jsonrpc':'2.0','method':'update','params':['no number']}",
        "[{'jsonrpc':'2.0','method':'get_data'},{'jsonrpc':'2.0','method':'nothing'}]");
  }

  private static List<Example> rows(String clause, @Nullable String answer, String... sent) {
    return Stream.of(sent).map(text -> row(clause, text, answer)).toList();
  }

  /** Texts here have single quotes where JSON has double ones. */
  private static Example row(String clause, String sent, @Nullable String answer) {
    String text = sent.replace('\'', '"');
    return new Example(
        clause + ": " + text.strip(), text, answer == null ? null : answer.replace('\'', '"'));
  }
}
