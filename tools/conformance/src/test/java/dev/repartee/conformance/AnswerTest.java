package dev.repartee.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswerTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'result':19,'id':1} | {'jsonrpc':'2.0','result':19,'id':1}",
        "{'result':19,'id':1} | {'id':1,'result':19.0,'jsonrpc':'2.0'}",
        "{'result':{'a':[1],'b':'ä'}} | {'jsonrpc':'2.0','result':{'b':'\\u00e4','a':[1e0]},'id':7}",
        "{'error':-32600} | {'jsonrpc':'2.0','error':{'code':-32600,'message':'x'},'id':null}",
        "{'error':[1,2],'id':{'any':[null,5]}} | {'jsonrpc':'2.0','error':{'code':2,'message':''},'id':5}",
        "{'error':'any'} | {'jsonrpc':'2.0','error':{'code':-7,'message':'x','data':1},'id':5}",
        "{'answer':'any','id':1} | {'jsonrpc':'2.0','result':null,'id':1}",
        "{'id':{'literal':'1.0'},'result':1} | {'jsonrpc':'2.0','result':1,'id':1.0}",
      })
  void anExpectedResponseHasNoFault(String pattern, String response) {
    assertThat(fault(pattern, response)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'result':19,'id':1} | {'jsonrpc':'2.0','result':20,'id':1} | another result",
        "{'result':19,'id':1} | {'jsonrpc':'2.0','result':'19','id':1} | another result",
        "{'result':19,'id':1} | {'jsonrpc':'2.0','result':19,'id':'1'} | another id",
        "{'result':19,'id':1} | {'jsonrpc':'2.0','result':19} | it has no id",
        "{'result':19,'id':1} | {'result':19,'id':1} | its member jsonrpc is not \"2.0\"",
        "{'result':19,'id':1} | {'jsonrpc':2.0,'result':19,'id':1} | its member jsonrpc is not \"2.0\"",
        "{'result':19,'id':1} | {'jsonrpc':'2.0','id':1} | it has neither result nor error",
        "{'result':19} | {'jsonrpc':'2.0','result':19,'error':null,'id':1} | it has both result and error",
        "{'error':1} | {'jsonrpc':'2.0','error':{'code':1.5,'message':'x'},'id':1} | its error has no integer as its code",
        "{'error':1} | {'jsonrpc':'2.0','error':{'code':1,'message':null},'id':1} | its error has no string as its message",
        "{'error':1} | {'jsonrpc':'2.0','error':{'code':2,'message':'x'},'id':1} | the error code 2",
        "{'error':1} | {'jsonrpc':'2.0','result':1,'id':1} | a result instead of an error",
        "{'result':1} | [] | not an object",
        "{'id':{'literal':'1.0'},'result':1} | {'jsonrpc':'2.0','result':1,'id':1} | another id",
      })
  void anotherResponseHasAFault(String pattern, String response, String why) {
    assertThat(fault(pattern, response)).isEqualTo(why);
  }

  private static @org.jspecify.annotations.Nullable String fault(String pattern, String response) {
    return new Answer(Json.parse(pattern.replace('\'', '"')))
        .fault(Json.parse(response.replace('\'', '"')));
  }
}
