package io.millrace.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.id.Id128;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.Placement.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static final VertexId SOURCE = new VertexId(new Id128(1, 1));
  private static final VertexId SINK = new VertexId(new Id128(1, 2));

  @Test
  void saysWhereEachSubtaskRuns() {
    Placement placement =
        new Placement(
            List.of("a:1", "b:1"), Map.of(SOURCE, List.of(new Run(1, 2, 1), new Run(4, 1, 0))));

    assertThat(placement.hostOf(SOURCE, 6))
        .containsExactly(Placement.ELSEWHERE, 1, 1, Placement.ELSEWHERE, 0, Placement.ELSEWHERE);
    assertThat(placement.hostOf(SINK, 2)).containsExactly(Placement.ELSEWHERE, Placement.ELSEWHERE);
  }

  @Test
  void refusesSubtasksThatTheVertexDoesNotHave() {
    Placement placement = new Placement(List.of("a:1"), Map.of(SOURCE, List.of(new Run(1, 2, 0))));

    assertThatThrownBy(() -> placement.hostOf(SOURCE, 2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAHostItDoesNotName() {
    Placement placement = new Placement(List.of("a:1"), Map.of(SOURCE, List.of(new Run(0, 1, 1))));

    assertThatThrownBy(() -> placement.hostOf(SOURCE, 2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Behaviour("Scale: a TaskManager gets the placement of its own regions only")
  void mergesTablesThatHaveHostsInCommon() {
    Placement one =
        new Placement(
            List.of("a:1", "b:1"), Map.of(SOURCE, List.of(new Run(0, 1, 0), new Run(1, 1, 1))));
    Placement other =
        new Placement(
            List.of("c:1", "b:1"),
            new LinkedHashMap<>(
                Map.of(SOURCE, List.of(new Run(2, 1, 1)), SINK, List.of(new Run(0, 2, 0)))));

    Placement merged = Placement.merged(List.of(one, other));

    assertThat(merged.hosts()).containsExactly("a:1", "b:1", "c:1");
    assertThat(merged.hostOf(SOURCE, 3)).containsExactly(0, 1, 1);
    assertThat(merged.hostOf(SINK, 2)).containsExactly(2, 2);
  }

  /** A table in which each subtask has its own run is the model. */
  @Test
  void mergedTablesSayWhatEachOfThemSaid() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      int parallelism = random.nextInt(1, 40);
      String[] expected = new String[parallelism];
      List<List<Run>> runs = new ArrayList<>();
      List<String> hosts = List.of("a:1", "b:1", "c:1");
      int tables = random.nextInt(1, 4);
      for (int i = 0; i < tables; i++) {
        runs.add(new ArrayList<>());
      }
      int next = 0;
      while (next < parallelism) {
        int count = Math.min(random.nextInt(1, 6), parallelism - next);
        int table = random.nextInt(tables + 1);
        if (table < tables) {
          // Each table numbers the hosts in its own order.
          int host = random.nextInt(hosts.size());
          runs.get(table).add(new Run(next, count, host));
          Arrays.fill(expected, next, next + count, hosts.get((host + table) % hosts.size()));
        }
        next += count;
      }
      List<Placement> placements = new ArrayList<>();
      for (int table = 0; table < tables; table++) {
        List<String> rotated = new ArrayList<>(hosts);
        Collections.rotate(rotated, -table);
        placements.add(
            new Placement(rotated, new LinkedHashMap<>(Map.of(SOURCE, runs.get(table)))));
      }

      Placement merged = Placement.merged(placements);

      assertThat(merged.hosts()).doesNotHaveDuplicates();
      int[] hostOf = merged.hostOf(SOURCE, parallelism);
      for (int subtask = 0; subtask < parallelism; subtask++) {
        String host =
            hostOf[subtask] == Placement.ELSEWHERE ? null : merged.hosts().get(hostOf[subtask]);
        assertThat(host).as("seed %d, subtask %d", seed, subtask).isEqualTo(expected[subtask]);
      }
    }
  }
}
