package io.millrace.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.id.Id128;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.Placement.Run;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
}
