package io.millrace.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.RecordGenerator;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.LimitReached;
import io.millrace.protocol.reason.SlotReason.LimitedResource;
import io.millrace.protocol.reason.SlotReason.ResourceLimit;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import io.millrace.protocol.reason.WorkerReason.EndedBeforeRegistration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReasonTextTest {

  static Stream<Class<? extends Record>> reasons() {
    return RecordGenerator.leaves(Reason.class);
  }

  @ParameterizedTest
  @MethodSource("reasons")
  void rendersEveryReason(Class<? extends Record> type) {
    String text = ReasonText.of((Reason) RecordGenerator.filled().record(type));
    assertThat(text).isNotBlank().doesNotContain(type.getSimpleName() + "[").doesNotContain("  ");
  }

  @Test
  void namesTheRequirementTheSupplyAndTheOption() {
    SlotSupply supply =
        new SlotSupply(2, 5, 0, 0, ResourceProfile.UNSPECIFIED, ResourceProfile.UNSPECIFIED);
    ResourceLimit limit = new ResourceLimit("process.max-taskmanagers", LimitedResource.WORKERS, 2);
    Reason shortage =
        new SlotShortage(
            8,
            5,
            Optional.of(Duration.ofSeconds(30)),
            supply,
            List.of(),
            Optional.empty(),
            List.of(new LimitReached(2, 1, 0, false, limit)));
    assertThat(ReasonText.of(shortage))
        .isEqualTo(
            "The job needs 8 slots and has 5 after 30 s in which none came (slot.request.timeout);"
                + " 5 are registered by 2 TaskManagers, 0 of them free. It takes a 3rd worker, and"
                + " process.max-taskmanagers allows 2. Raise that or lower the parallelism.");
  }

  @Test
  void endsExternalMessagesWithAFullStop() {
    assertThat(ReasonText.of(new ConnectionLost("process w is gone")))
        .isEqualTo("Process w is gone.");
    assertThat(
            ReasonText.of(
                new EndedBeforeRegistration(new WorkerId("w"), new ErrorReason("exit code 1"))))
        .isEqualTo("Worker w ended before it had registered: exit code 1.");
  }

  @Test
  void rendersPluralsAndOrdinals() {
    assertThat(Plural.of(1, "slot")).isEqualTo("1 slot");
    assertThat(Plural.of(0, "slot")).isEqualTo("0 slots");
    assertThat(Stream.of(1, 2, 3, 4, 11, 12, 13, 21, 112).map(Plural::ordinal))
        .containsExactly("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th");
  }

  @Test
  void articleOfAnOrdinalFollowsItsSound() {
    assertThat(Stream.of(1, 7, 8, 11, 12, 18, 80, 81, 110, 181, 800, 1_100, 11_000))
        .map(Plural::withArticle)
        .containsExactly(
            "a 1st",
            "a 7th",
            "an 8th",
            "an 11th",
            "a 12th",
            "an 18th",
            "an 80th",
            "an 81st",
            "a 110th",
            "a 181st",
            "an 800th",
            "a 1100th",
            "an 11000th");
  }

  @Test
  void allOfOneIsInTheSingular() {
    assertThat(Plural.all(1, "restart")).isEqualTo("the 1 restart");
    assertThat(Plural.all(2, "restart")).isEqualTo("all 2 restarts");
  }
}
