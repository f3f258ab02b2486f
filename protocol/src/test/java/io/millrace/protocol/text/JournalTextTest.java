package io.millrace.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.protocol.RecordGenerator;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JournalTextTest {

  static Stream<Class<? extends Record>> events() {
    return RecordGenerator.leaves(JournalEvent.class);
  }

  @ParameterizedTest
  @MethodSource("events")
  void rendersEveryEvent(Class<? extends Record> type) {
    JournalEvent event = (JournalEvent) RecordGenerator.filled().record(type);
    assertThat(JournalText.of(event))
        .isNotBlank()
        .doesNotContain(type.getSimpleName() + "[")
        .doesNotContain("  ");
    assertThat(JournalText.component(event)).isNotBlank();
    assertThat(JournalText.title(event)).isNotBlank().isNotEqualTo(type.getSimpleName());
  }

  @Test
  void titlesAreDerivedFromTheType() {
    assertThat(JournalText.title(new SlotsDeclared(4, 2, Duration.ofMinutes(5))))
        .isEqualTo("slots declared");
    assertThat(JournalText.title(new StatusChanged(JobStatus.FINISHED, new TasksEnded())))
        .isEqualTo("job FINISHED");
  }

  @Test
  void namesTheRequirementAndTheOptionThatLimitsTheWait() {
    assertThat(JournalText.of(new SlotsDeclared(4, 2, Duration.ofMinutes(5))))
        .isEqualTo(
            "4 slots required, 2 of them missing; the job waits for 5 min without new ones"
                + " (slot.request.timeout).");
  }
}
