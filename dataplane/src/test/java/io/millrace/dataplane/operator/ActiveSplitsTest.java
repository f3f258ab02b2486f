package io.millrace.dataplane.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ActiveSplitsTest {
  /** Keeps the splits that it has heard of, and refuses what cannot be. */
  private static final class Heard implements ActiveSplits.Listener {
    final Map<Integer, String> splits = new LinkedHashMap<>();
    boolean ahead;

    @Override
    public void splitAdded(int split, String id) {
      assertThat(split).isGreaterThan(ActiveSplits.UNNAMED);
      assertThat(splits.put(split, id)).as("split %s is new", split).isNull();
    }

    @Override
    public void splitFinished(int split) {
      assertThat(splits.remove(split)).as("split %s is known", split).isNotNull();
    }

    @Override
    public boolean isAhead() {
      return ahead;
    }
  }

  /** A reader that names its splits has watermarks for each of those that it has now. */
  @Test
  @Behaviour("H1: the lowest watermark of the splits of a reader counts")
  void listenerKnowsTheSplitsThatTheReaderHas() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      ActiveSplits splits = new ActiveSplits();
      Heard heard = new Heard();
      splits.listener(heard);
      List<String> model = new ArrayList<>();
      boolean named = false;
      String current = "";
      for (int i = 0; i < 150; i++) {
        String id = "s" + random.nextInt(6);
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            splits.add(id);
            if (!model.contains(id)) {
              model.add(id);
            }
          }
          case 2 -> {
            assertThat(splits.finish(id)).as("seed %s", seed).isEqualTo(model.remove(id));
            current = current.equals(id) ? "" : current;
          }
          case 3 -> {
            if (random.nextInt(15) == 0) {
              splits.finishAll();
              model.clear();
              current = "";
            }
          }
          default -> {
            if (model.contains(id)) {
              splits.start(id);
              named = true;
              current = id;
            } else {
              assertThatThrownBy(() -> splits.start(id))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessage(
                      "The reader emits records of split '" + id + "', which it does not have");
              named = true;
            }
          }
        }
        if (named) {
          assertThat(heard.splits.values())
              .as("seed %s", seed)
              .containsExactlyInAnyOrderElementsOf(model);
        } else {
          assertThat(heard.splits).as("a reader that names nothing, seed %s", seed).isEmpty();
        }
        assertThat(splits.current == ActiveSplits.UNNAMED ? "" : heard.splits.get(splits.current))
            .as("seed %s", seed)
            .isEqualTo(current);
      }
    }
  }

  /** Numbers are not used again: what belongs to a former split is not taken for a later one. */
  @Test
  void splitThatComesBackHasANewNumber() {
    ActiveSplits splits = new ActiveSplits();
    splits.add("a");
    splits.start("a");
    int before = splits.current;
    splits.finish("a");
    assertThat(splits.current).isEqualTo(ActiveSplits.UNNAMED);
    splits.add("a");
    splits.start("a");
    assertThat(splits.current).isNotEqualTo(before);
    splits.add("a");
    splits.start("a");
    assertThat(splits.finish("a")).isTrue();
    assertThat(splits.finish("a")).isFalse();
  }

  @Test
  void pausedSplitsAreToldOnceAfterEachChange() {
    ActiveSplits splits = new ActiveSplits();
    assertThat(splits.takeNewlyPaused()).isEmpty();
    splits.pause(Set.of());
    assertThat(splits.takeNewlyPaused()).as("nothing has changed").isEmpty();
    splits.pause(Set.of("a", "b"));
    splits.pause(Set.of("b", "a"));
    assertThat(splits.takeNewlyPaused()).isEqualTo(Optional.of(Set.of("a", "b")));
    assertThat(splits.takeNewlyPaused()).isEmpty();
    splits.pause(Set.of("a"));
    splits.pause(Set.of());
    assertThat(splits.takeNewlyPaused()).isEqualTo(Optional.of(Set.of()));
    assertThat(splits.takeNewlyPaused()).isEmpty();
  }

  @Test
  void readerWithoutWatermarksIsNeverAhead() {
    ActiveSplits splits = new ActiveSplits();
    assertThat(splits.isAhead()).isFalse();
    Heard heard = new Heard();
    splits.listener(heard);
    assertThat(splits.isAhead()).isFalse();
    heard.ahead = true;
    assertThat(splits.isAhead()).isTrue();
  }
}
