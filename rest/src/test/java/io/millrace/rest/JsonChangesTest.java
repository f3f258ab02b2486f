package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonChangesTest {
  private static JsonObject json(String text) {
    return new JsonObject(text.replace('\'', '"'));
  }

  private static String changes(String before, String after) {
    return JsonChanges.between(json(before), json(after))
        .map(change -> change.toString().replace('"', '\''))
        .orElse("none");
  }

  @Test
  void namesOnlyWhatDiffers() {
    assertThat(changes("{'a':1,'b':{'c':[1,2],'d':'x'}}", "{'a':1,'b':{'c':[1,3],'d':'x'}}"))
        .isEqualTo("{'b':{'c':{'1':[3]}}}");
    assertThat(changes("{'a':1}", "{'a':1}")).isEqualTo("none");
  }

  @Test
  void namesMembersThatComeAndGo() {
    assertThat(changes("{'a':1}", "{'b':null}")).isEqualTo("{'a':[],'b':[null]}");
    assertThat(changes("{'a':null}", "{'a':[]}")).isEqualTo("{'a':[[]]}");
    assertThat(changes("{'a':{'b':1}}", "{'a':null}")).isEqualTo("{'a':[null]}");
  }

  @Test
  void replacesArraysOfAnotherLength() {
    assertThat(changes("{'a':[1,2]}", "{'a':[1]}")).isEqualTo("{'a':[[1]]}");
  }

  @Test
  void changesLeadFromOneValueToTheOther() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      Object before = value(random, 3);
      Object after = random.nextInt(4) == 0 ? value(random, 3) : altered(before, random);
      if (before != null && after != null) {
        Object reached =
            JsonChanges.between(before, after).map(change -> apply(before, change)).orElse(before);
        assertThat(reached).as("seed %d", seed).isEqualTo(after);
      }
    }
  }

  /** What the web page does with changes. */
  private static Object apply(Object value, Object changes) {
    if (changes instanceof JsonArray replacement) {
      return replacement.getValue(0);
    }
    JsonObject members = (JsonObject) changes;
    if (value instanceof JsonArray array) {
      JsonArray copy = new JsonArray();
      for (int i = 0; i < array.size(); i++) {
        Object element = array.getValue(i);
        String index = String.valueOf(i);
        copy.add(members.containsKey(index) ? apply(element, members.getValue(index)) : element);
      }
      return copy;
    }
    JsonObject copy = ((JsonObject) value).copy();
    for (String name : members.fieldNames()) {
      Object change = members.getValue(name);
      if (change instanceof JsonArray replacement && replacement.isEmpty()) {
        copy.remove(name);
      } else {
        copy.put(name, apply(copy.getValue(name), change));
      }
    }
    return copy;
  }

  private static Object value(Random random, int depth) {
    int kind = random.nextInt(depth == 0 ? 3 : 5);
    if (kind == 0) {
      return null;
    }
    if (kind < 3) {
      return kind == 1 ? random.nextInt(3) : "text " + random.nextInt(3);
    }
    int size = random.nextInt(4);
    if (kind == 3) {
      List<Object> elements = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        elements.add(value(random, depth - 1));
      }
      return new JsonArray(elements);
    }
    JsonObject object = new JsonObject();
    for (int i = 0; i < size; i++) {
      object.put("k" + random.nextInt(5), value(random, depth - 1));
    }
    return object;
  }

  /** A value with some of its parts replaced. */
  private static Object altered(Object value, Random random) {
    if (value instanceof JsonObject object) {
      JsonObject copy = new JsonObject();
      object.forEach(
          member ->
              copy.put(
                  member.getKey(),
                  random.nextInt(3) == 0 ? value(random, 1) : altered(member.getValue(), random)));
      return copy;
    }
    return random.nextInt(3) == 0 ? value(random, 1) : value;
  }
}
