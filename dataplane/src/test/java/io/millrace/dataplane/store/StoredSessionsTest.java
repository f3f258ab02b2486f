package io.millrace.dataplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.store.TestStates.Kind;
import io.millrace.task.checkpoint.KeyGroupRange;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredSessionsTest {
  private static final int GROUPS = 4;
  private static final int PER_KEY = 1_000;
  private static final StateInfo SESSIONS = new StateInfo("sessions", StateKind.REDUCING, true);

  @TempDir Path directory;

  private static StoredSession session(long number, String content) {
    return new StoredSession(number * 10, number * 10 + 5, number % 2 == 0, content + number);
  }

  private static List<String> texts(List<StoredSession> sessions) {
    return sessions.stream()
        .map(each -> each.start() + ".." + each.end() + " " + each.fired() + " " + each.content())
        .toList();
  }

  private static List<String> expected(String content) {
    return texts(
        LongStream.range(0, PER_KEY).mapToObj(number -> session(number, content)).toList());
  }

  @Test
  @Behaviour(
      "H4: the restore of a key with many sessions takes a time proportional to their number")
  void theSessionsOfAKeyAreRestoredTogether() {
    try (TestStates states = new TestStates(GROUPS, () -> 0, directory)) {
      StoredState state = states.store(Kind.SORTED_MAP, new KeyGroupRange(0, GROUPS));
      StoredSessions sessions = state.sessions(SESSIONS);
      List<String> keys = List.of("a", "b", "c");
      for (String key : keys) {
        for (long number = 0; number < PER_KEY; number++) {
          sessions.restore(state.keyOf(key), session(number, key));
        }
      }
      sessions.restored();

      assertThat(states.stores().get(0).puts()).isEqualTo(keys.size());
      for (String key : keys) {
        assertThat(texts(sessions.get(state.keyOf(key)))).isEqualTo(expected(key));
      }
    }
  }

  @Test
  void aKeyThatComesAgainKeepsItsSessions() {
    try (TestStates states = new TestStates(GROUPS, () -> 0, directory)) {
      StoredState state = states.store(Kind.SORTED_MAP, new KeyGroupRange(0, GROUPS));
      StoredSessions sessions = state.sessions(SESSIONS);
      for (long number = 0; number < PER_KEY; number++) {
        sessions.restore(state.keyOf("a"), session(number, "a"));
        sessions.restore(state.keyOf("b"), session(number, "b"));
      }
      sessions.restored();

      assertThat(texts(sessions.get(state.keyOf("a")))).isEqualTo(expected("a"));
      assertThat(texts(sessions.get(state.keyOf("b")))).isEqualTo(expected("b"));
    }
  }

  @Test
  void sessionsOfTheStoreCanBeStoredAgain() {
    try (TestStates states = new TestStates(GROUPS, () -> 0, directory)) {
      StoredState state = states.store(Kind.SORTED_MAP, new KeyGroupRange(0, GROUPS));
      StoredSessions sessions = state.sessions(SESSIONS);
      byte[] key = state.keyOf("a");
      sessions.put(key, List.of(session(1, "x"), session(2, "y")));

      List<StoredSession> known = sessions.get(key);
      sessions.put(key, List.of(known.get(0).withFired(true), known.get(1), session(3, "z")));

      assertThat(texts(sessions.get(key)))
          .containsExactly("10..15 true x1", "20..25 true y2", "30..35 false z3");
    }
  }
}
