package dev.repartee.testkit.examples;

import dev.repartee.testkit.examples.WorkedExamples.Example;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a server to valid and invalid messages of all kinds (JSON-RPC 2.0 sections 4 to
 * 6). The server has {@link ExampleMethods} and tolerates no deviation.
 */
public final class ClassificationTable {
  private static final char QUOTE = '`';
  private static final String DATA = "{'jsonrpc':'2.0','result':['hello',5],'id':1}";

  private ClassificationTable() {}

  /** Returns all rows, first those of rejected messages. An answer is always one frame or none. */
  public static List<Example> all() {
    return Stream.of(refused(), ids(), taken(), silent()).flatMap(List::stream).toList();
  }

  /** Returns the rows of messages that must not run any method. */
  public static List<Example> refused() {
    return Stream.of(notJson(), notAnObject(), invalid(), invalidWithoutId(), twice())
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Returns the rows of responses that match no call.
   *
   * @param oneWay true if the server cannot make calls, as over HTTP: the response is an invalid
   *     request. Otherwise the response is not answered.
   */
  public static List<Example> responses(boolean oneWay) {
    return Stream.of(
            "{'jsonrpc':'2.0','result':1,'id':1}",
            "{'jsonrpc':'2.0','error':{'code':1,'message':'x'},'id':1}",
            "{'jsonrpc':'2.0','error':{'code':1,'message':'x'},'id':null}")
        .map(sent -> oneWay
            ? row(
                "a response is an invalid request where nobody calls",
                sent,
                invalid("null", "the message is a response, but nothing was called here"))
            : row("a response that no call waits for is never answered", sent, null))
        .toList();
  }

  private static List<Example> notJson() {
    String clause = "text that is not JSON is answered with one parse error";
    return Stream.of(
            refused("", "at offset 0: the text is empty"),
            refused(" ", "at offset 1: the text is empty"),
            refused("{'jsonrpc':", "at offset 11: the text ends where a value is expected"),
            refused(
                "{'jsonrpc':'2.0','method':'get_data','id':1", "at offset 43: expected ',' or '}'"),
            refused(
                "{'jsonrpc':'2.0','method':'get_data','id':1}}",
                "at offset 44: text after the message"),
            refused(
                "{'jsonrpc':'2.0','method':'get_data','id':1} x",
                "at offset 45: text after the message"),
            refused(
                "{'jsonrpc':'2.0','method':'get_data','id':01}",
                "at offset 43: expected ',' or '}'"),
            refused(
                "{'jsonrpc':'2.0','method':'get\tdata','id':1}",
                "at offset 30: a control character inside a string"),
            refused(
                "{'jsonrpc':'2.0','method':'get_data','id':1,}",
                "at offset 44: expected a member name in quotes"),
            refused(
                "{jsonrpc:'2.0','method':'get_data','id':1}",
                "at offset 1: expected a member name in quotes"),
            refused("nul", "at offset 0: expected a value"),
            refused(
                "[{'jsonrpc':'2.0','method':'get_data','id':1},",
                "at offset 46: the text ends where a value is expected"),
            refused("[,]", "at offset 1: expected a value"),
            refused("[1,]", "at offset 3: expected a value"))
        .map(text -> row(clause, text.sent, error(-32700, "Parse error", "null", text.why)))
        .toList();
  }

  private static List<Example> notAnObject() {
    String number = invalid("null", "the message is a number, but has to be an object");
    String array = invalid("null", "the message is an array, but has to be an object");
    List<Example> rows = new ArrayList<>(invalid(
        "anything but an object or a filled array is one invalid request",
        "null",
        refused("1", "the message is a number, but has to be an object"),
        refused("'x'", "the message is a string, but has to be an object"),
        refused("true", "the message is a boolean, but has to be an object"),
        refused("null", "the message is null, but has to be an object"),
        refused("-0.5e7", "the message is a number, but has to be an object"),
        refused("[]", "the batch is empty"),
        refused(" [ ] ", "the batch is empty")));
    rows.add(row(
        "an element of a batch that is not an object is answered inside the array",
        "[1,[]]",
        "[" + number + "," + array + "]"));
    return rows;
  }

  private static List<Example> invalid() {
    return invalid(
        "an invalid request is answered with its id where that is usable",
        "1",
        refused(
            "{'method':'get_data','id':1}", "the member 'jsonrpc' is missing, but has to be '2.0'"),
        refused(
            "{'jsonrpc':'1.0','method':'get_data','id':1}",
            "the member 'jsonrpc' has to be the string '2.0'"),
        refused(
            "{'jsonrpc':2.0,'method':'get_data','id':1}",
            "the member 'jsonrpc' has to be the string '2.0'"),
        refused(
            "{'jsonrpc':null,'method':'get_data','id':1}",
            "the member 'jsonrpc' has to be the string '2.0'"),
        refused("{'jsonrpc':'2.0','id':1}", "the member 'method' is missing"),
        refused(
            "{'jsonrpc':'2.0','method':1,'id':1}",
            "the member 'method' is a number, but has to be a string"),
        refused(
            "{'jsonrpc':'2.0','method':null,'id':1}",
            "the member 'method' is null, but has to be a string"),
        refused("{'jsonrpc':'2.0','Method':'get_data','id':1}", "the member 'method' is missing"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','params':null,'id':1}",
            "the member 'params' is null, but has to be an array or an object"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','params':'bar','id':1}",
            "the member 'params' is a string, but has to be an array or an object"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','params':5,'id':1}",
            "the member 'params' is a number, but has to be an array or an object"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','params':true,'id':1}",
            "the member 'params' is a boolean, but has to be an array or an object"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','result':1,'id':1}",
            "the member 'method' and the member 'result' exclude each other"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','error':{'code':1,'message':''},'id':1}",
            "the member 'method' and the member 'error' exclude each other"));
  }

  private static List<Example> invalidWithoutId() {
    return invalid(
        "an invalid request without a usable id is answered with null",
        "null",
        refused(
            "{'jsonrpc':'2.0','method':'get_data','id':true}",
            "the member 'id' is a boolean, but has to be a string, a number or null"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','id':{}}",
            "the member 'id' is an object, but has to be a string, a number or null"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','id':[1]}",
            "the member 'id' is an array, but has to be a string, a number or null"),
        refused(
            "{'jsonrpc':'2.0','method':1,'params':'bar'}",
            "the member 'method' is a number, but has to be a string"),
        refused("{'foo':'boo'}", "the member 'jsonrpc' is missing, but has to be '2.0'"),
        refused("{}", "the member 'jsonrpc' is missing, but has to be '2.0'"),
        refused("{'jsonrpc':'2.0'}", "the member 'method' is missing"),
        refused("{'method':'get_data'}", "the member 'jsonrpc' is missing, but has to be '2.0'"));
  }

  private static List<Example> twice() {
    List<Example> rows = new ArrayList<>(invalid(
        "a duplicate member of the envelope makes the request invalid",
        "1",
        refused(
            "{'jsonrpc':'2.0','jsonrpc':'2.0','method':'get_data','id':1}",
            "the member 'jsonrpc' occurs twice"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','method':'get_data','id':1}",
            "the member 'method' occurs twice"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','params':[],'params':[],'id':1}",
            "the member 'params' occurs twice"),
        refused(
            "{'jsonrpc':'2.0','method':'get_data','id':1,'m\\u0065thod':'get_data'}",
            "the member 'method' occurs twice")));
    rows.addAll(invalid(
        "of two ids neither is echoed",
        "null",
        refused(
            "{'jsonrpc':'2.0','method':'get_data','id':1,'\\u0069d':2}",
            "the member 'id' occurs twice")));
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
            "a duplicate member inside of params is data",
            "{'jsonrpc':'2.0','method':'echo','params':[{'a':1,'a':2}],'id':1}",
            "{'jsonrpc':'2.0','result':{'a':1,'a':2},'id':1}"),
        row(
            "the good elements of a batch are answered beside the bad ones",
            "[1,{'jsonrpc':'2.0','method':'get_data','id':1},[]]",
            "["
                + String.join(
                    ",",
                    invalid("null", "the message is a number, but has to be an object"),
                    DATA,
                    invalid("null", "the message is an array, but has to be an object"))
                + "]"),
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

  /** A rejected message, and the reason in its answer. */
  private record Refused(String sent, String why) {}

  private static Refused refused(String sent, String why) {
    return new Refused(sent, why);
  }

  private static List<Example> invalid(String clause, String id, Refused... texts) {
    return Stream.of(texts)
        .map(text -> row(clause, text.sent, invalid(id, text.why)))
        .toList();
  }

  private static String invalid(String id, String why) {
    return error(-32600, "Invalid Request", id, why);
  }

  private static String error(int code, String message, String id, String why) {
    return "{'jsonrpc':'2.0','error':{'code':" + code + ",'message':'" + message + "','data':'"
        + why.replace('\'', QUOTE) + "'},'id':" + id + "}";
  }

  /**
   * Returns a row. Texts in this class have single quotes for the double quotes of JSON, and {@link
   * #QUOTE} for a single quote.
   */
  private static Example row(String clause, String sent, @Nullable String answer) {
    String text = json(sent);
    return new Example(clause + ": " + text.strip(), text, answer == null ? null : json(answer));
  }

  private static String json(String text) {
    return text.replace('\'', '"').replace(QUOTE, '\'');
  }
}
