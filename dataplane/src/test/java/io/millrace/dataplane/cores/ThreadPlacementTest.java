package io.millrace.dataplane.cores;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class ThreadPlacementTest {
  @Test
  void reasonNamesTheLineOfTheProgramThatTheTaskIsInNowBesideTheFirstOne() {
    ThreadPlacement own =
        ThreadPlacement.of(
            ThreadPlacement.Kind.OWN, "held its core for 30 ms", Optional.of("a.B.load(B:1)"));
    assertThat(own.reason(Optional.of("a.C.sleep(C:2)")))
        .isEqualTo("held its core for 30 ms in a.B.load(B:1); it is in a.C.sleep(C:2) now");
    assertThat(own.reason(Optional.of("a.B.load(B:1)")))
        .isEqualTo(own.reason(Optional.empty()))
        .isEqualTo("held its core for 30 ms in a.B.load(B:1)");
    assertThat(
            ThreadPlacement.of(ThreadPlacement.Kind.OWN, "waits for room", Optional.empty())
                .reason(Optional.of("a.C.sleep(C:2)")))
        .isEqualTo("waits for room");
  }
}
