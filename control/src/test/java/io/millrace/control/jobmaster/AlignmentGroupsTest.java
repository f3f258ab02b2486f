package io.millrace.control.jobmaster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.WatermarkReport;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlignmentGroupsTest {
  private static final WorkerId ONE = new WorkerId("one");
  private static final WorkerId TWO = new WorkerId("two");

  private final AlignmentGroups groups = new AlignmentGroups();

  private static ExecutionId task(int number) {
    return new ExecutionId(new Id128(1, number));
  }

  private long report(WorkerId worker, int task, String group, long watermark) {
    return groups.report(new WatermarkReport(worker, task(task), group, watermark));
  }

  @Test
  @Behaviour("H1: sources of an alignment group wait for the lowest watermark of the group")
  void theLowestWatermarkOfTheGroupCounts() {
    assertThat(report(ONE, 1, "clicks", 100)).isEqualTo(100);
    assertThat(report(TWO, 2, "clicks", 50)).isEqualTo(50);
    assertThat(report(ONE, 3, "views", 10)).as("another group").isEqualTo(10);
    assertThat(report(ONE, 1, "clicks", 120)).isEqualTo(50);
    assertThat(report(TWO, 2, "clicks", Long.MAX_VALUE)).as("it is idle").isEqualTo(120);
  }

  @Test
  void tasksThatHaveEndedDoNotCount() {
    report(ONE, 1, "clicks", 10);
    groups.ended(List.of(task(1)));
    assertThat(report(TWO, 2, "clicks", 50)).isEqualTo(50);
  }

  @Test
  void tasksOfALostTaskManagerDoNotCount() {
    report(ONE, 1, "clicks", 10);
    groups.lost(ONE);
    assertThat(report(TWO, 2, "clicks", 50)).isEqualTo(50);
  }
}
