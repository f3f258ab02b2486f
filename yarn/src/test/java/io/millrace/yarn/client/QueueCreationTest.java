package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.client.QueueCreation.Verdict;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** With answers of schedulers that the tests do not run, shortened to what is read. */
class QueueCreationTest {
  private static final String INSTANCE =
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=";

  private static QueueCreation read(String schedulerInfo, String wanted) throws IOException {
    String answer = "<?xml version=\"1.0\"?><scheduler>" + schedulerInfo + "</scheduler>";
    return QueueCreation.read(
        new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8)), wanted);
  }

  private static String capacity(String eligibilityOfRoot, String queues) {
    return "<schedulerInfo "
        + INSTANCE
        + "\"capacityScheduler\"><queuePath>root</queuePath>"
        + "<queues>"
        + queues
        + "</queues>"
        + eligibilityOfRoot
        + "</schedulerInfo>";
  }

  private static String queue(String path, String eligibility, String below) {
    return "<queue "
        + INSTANCE
        + "\"capacitySchedulerLeafQueueInfo\"><queuePath>"
        + path
        + "</queuePath><queues>"
        + below
        + "</queues><autoCreationEligibility>"
        + eligibility
        + "</autoCreationEligibility></queue>";
  }

  @Test
  @Behaviour("A8: a queue that YARN may create by itself is left to YARN, with a warning")
  void nearestQueueAboveDecides() throws IOException {
    String scheduler =
        capacity(
            "<autoCreationEligibility>off</autoCreationEligibility>",
            queue("root.users", "flexible", queue("root.users.fixed", "off", ""))
                + queue("root.managed", "legacy", "")
                + queue("root.default", "off", ""));
    assertThat(read(scheduler, "root.users.new").verdict()).isEqualTo(Verdict.POSSIBLE);
    assertThat(read(scheduler, "root.users.a.b").verdict()).isEqualTo(Verdict.POSSIBLE);
    assertThat(read(scheduler, "users.new").verdict()).isEqualTo(Verdict.POSSIBLE);
    assertThat(read(scheduler, "root.managed.new").verdict()).isEqualTo(Verdict.POSSIBLE);
    assertThat(read(scheduler, "root.users.fixed.new"))
        .isEqualTo(
            new QueueCreation(Verdict.IMPOSSIBLE, "it creates no queues below root.users.fixed"));
    assertThat(read(scheduler, "root.default.new").verdict()).isEqualTo(Verdict.IMPOSSIBLE);
    assertThat(read(scheduler, "new"))
        .isEqualTo(new QueueCreation(Verdict.IMPOSSIBLE, "it creates no queues below root"));
  }

  @Test
  void otherSchedulersAndVersionsAreNotCertain() throws IOException {
    assertThat(read("<schedulerInfo " + INSTANCE + "\"fairScheduler\"/>", "new"))
        .isEqualTo(QueueCreation.FAIR_SCHEDULER);
    assertThat(read("<schedulerInfo " + INSTANCE + "\"ownScheduler\"/>", "new").verdict())
        .isEqualTo(Verdict.UNKNOWN);
    assertThat(read(capacity("", ""), "root.new").verdict()).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void otherAnswersAreRefused() {
    for (String answer : new String[] {"<html/>", "<schedulerInfo", "<!DOCTYPE x>"}) {
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(answer, "new"));
    }
  }
}
