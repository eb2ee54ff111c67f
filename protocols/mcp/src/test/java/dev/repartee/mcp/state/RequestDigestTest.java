package dev.repartee.mcp.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.FrameResponder;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestDigestTest {
  private static final String PARAMS =
      "{'name':'pay','arguments':{'to':'Ann','n':[1,{'a':1,'b':2}]}}";

  /** Returns a call of the method with the params and the principal. */
  private static Call call(String method, String params, @Nullable String principal)
      throws Exception {
    AtomicReference<Call> seen = new AtomicReference<>();
    Service service = Service.builder()
        .method(method, dev.repartee.Lane.INLINE, call -> {
          seen.set(call);
          return null;
        })
        .build();
    ChannelInfo channel = new ChannelInfo("test", "", "message");
    Attributes attributes = principal == null
        ? Attributes.NONE
        : Attributes.of(Principal.KEY, Principal.bearer(principal, Set.of()));
    String request = """
        {"jsonrpc":"2.0","id":1,"method":%s,"params":%s}\
        """.formatted(Json.of(method), params.replace('\'', '"'));
    FrameResponder.of(service, dev.repartee.Options.DEFAULT, channel)
        .of(channel, attributes)
        .respond(request.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return Objects.requireNonNull(seen.get());
  }

  private static byte[] digest(String params) throws Exception {
    return RequestDigest.of(call("tools/call", params, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'arguments':{'n':[1,{'b':2,'a':1}],'to':'Ann'},'name':'pay'}",
        "{ 'name' : 'pay' , 'arguments' : { 'to' : 'Ann' , 'n' : [ 1 , { 'a' : 1 , 'b' : 2 } ] } }",
        "{'n\\u0061me':'pay','arguments':{'to':'Ann','n':[1,{'a':1,'b':2}]}}",
        "{'name':'pay','_meta':{'x':1},'requestState':'s','inputResponses':{'a':{}},'arguments':{'to':'Ann','n':[1,{'a':1,'b':2}]}}"
      })
  void theSameRequestOfAnotherRoundHasTheSameDigest(String same) throws Exception {
    assertThat(digest(same)).isEqualTo(digest(PARAMS));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{}",
        "{'name':'pay','arguments':{'to':'Bob','n':[1,{'a':1,'b':2}]}}",
        "{'name':'pay','arguments':{'to':'Ann','n':[{'a':1,'b':2},1]}}",
        "{'name':'pay','arguments':{'to':'Ann','n':[1,{'a':2,'b':1}]}}",
        "{'name':'pay','arguments':{'to':'Ann','n':[1,{'a':1},{'b':2}]}}",
        "{'name':'pay','arguments':{'to':'Ann','n':[1,[{'a':1,'b':2}]]}}",
        "{'name':'pay','arguments':{'to':'Ann','n':['1',{'a':1,'b':2}]}}",
        "{'name':'pay','arguments':{'to':'Ann','n':[1,{'a':1,'b':2}],'_meta':{}}}",
        "{'name':'pay','arguments':{'to':'Ann'},'n':[1,{'a':1,'b':2}]}"
      })
  void anotherRequestHasAnotherDigest(String other) throws Exception {
    assertThat(digest(other)).isNotEqualTo(digest(PARAMS));
  }

  @ParameterizedTest
  @CsvSource({"\\ud800, ?", "\\ud800, \\udfff", "\\udc00\\ud800, \\ud800\\udc00", "\\ud800, \\ufffd"
  })
  void namesThatDifferInLoneSurrogatesHaveDifferentDigests(String one, String other)
      throws Exception {
    assertThat(digest("{'" + one + "':1}")).isNotEqualTo(digest("{'" + other + "':1}"));
  }

  @Test
  void theOrderOfDuplicateMembersMatters() throws Exception {
    assertThat(digest("{'a':1,'\\u0061':2}")).isNotEqualTo(digest("{'\\u0061':2,'a':1}"));
  }

  @Test
  void methodAndPrincipalCannotBeConfused() throws Exception {
    byte[] one = RequestDigest.of(call("a", "{}", "b\nc"));
    assertThat(RequestDigest.of(call("a\nb", "{}", "c"))).isNotEqualTo(one);
    assertThat(RequestDigest.of(call("a", "{}", "b"))).isNotEqualTo(one);
    assertThat(RequestDigest.of(call("a", "{}", null)))
        .isNotEqualTo(RequestDigest.of(call("a", "{}", " ")));
  }

  @Test
  void itsMemoryDoesNotGrowWithTheNestingOfTheParams() throws Exception {
    int size = 1 << 20;
    for (String[] brackets : new String[][] {{"[", "]"}, {"{'a':", "}"}}) {
      Call call = call(
          "tools/call",
          "{'a':" + brackets[0].repeat(480) + "'" + "x".repeat(size) + "'" + brackets[1].repeat(480)
              + "}",
          null);
      long before = allocated();
      RequestDigest.of(call);
      assertThat(allocated() - before).isLessThan(4L * size);
    }
  }

  /** Returns the bytes that this thread has allocated so far. */
  private static long allocated() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
