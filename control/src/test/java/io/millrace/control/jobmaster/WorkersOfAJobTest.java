package io.millrace.control.jobmaster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.testing.FakeTaskManager;
import io.millrace.control.testing.Graphs;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of late and lost messages of workers, and of idle slots. */
class WorkersOfAJobTest extends WithJobMaster {
  private static final Duration IDLE = Configuration.EMPTY.get(JobManagerOptions.SLOT_IDLE_TIMEOUT);

  @Test
  @Behaviour(
      "E3: a new process of a TaskManager replaces the old one after the slots of the old one have"
          + " failed")
  void rejectsSlotsOfAFormerProcess() {
    run(Graphs.pair(1));
    FakeTaskManager previous = registered(1);
    FakeTaskManager current = registered(2);

    assertThat(world.settled(previous.offer(1)).registered()).isFalse();
    assertThat(current.deployments).as("the slot belongs to the previous process").isEmpty();

    assertThat(world.settled(current.offer(1)).accepted()).hasSize(1);
    world.env.settle();
    assertThat(current.deployments).hasSize(1);
  }

  @Test
  @Behaviour("E4: tasks of an unacknowledged deployment are ended before they are deployed again")
  void tasksOfAnUnansweredDeploymentEndBeforeTheNextDeployment() {
    run(Graphs.pair(1).restarts(1, SECOND));
    FakeTaskManager one = world.taskManager("one");
    one.answersDeployments = false;
    one.obeysCancellations = false;
    join(one, 1);
    assertThat(one.tasks).hasSize(2);

    world.env.advanceUntil(Duration.ofMinutes(5), () -> !details().failures().isEmpty());
    assertThat(status()).isEqualTo(JobStatus.RESTARTING);
    world.env.advance(Duration.ofMinutes(1));
    assertThat(one.deployments).as("the tasks of the first one run").hasSize(1);

    one.answersDeployments = true;
    one.obeysCancellations = true;
    world.env.advance(Duration.ofMinutes(1));
    assertThat(one.deployments).hasSize(2);
    assertThat(status()).isEqualTo(JobStatus.RUNNING);
    assertThat(details().restarts()).isEqualTo(1);
  }

  @Test
  @Behaviour(
      "E3: a slot without a request is kept for a while and then returned, also after it was used")
  void returnsEachIdleSlotAtItsTimeout() {
    run(Graphs.pair(1));
    FakeTaskManager one = worker("one", 2);
    world.env.advance(IDLE.dividedBy(2));
    FakeTaskManager two = worker("two", 1);

    world.env.advance(IDLE.dividedBy(2));
    assertThat(one.freed).hasSize(1);
    assertThat(two.freed).isEmpty();
    world.env.advance(IDLE.dividedBy(2));
    assertThat(two.freed).as("idle while the timer for the first one ran").hasSize(1);

    FakeTaskManager three = worker("three", 1);
    world.env.advance(IDLE);
    assertThat(three.freed).as("idle after all others had been returned").hasSize(1);
    assertThat(one.freed).hasSize(1);
  }

  /** Registers another process of the same worker. */
  private FakeTaskManager registered(long incarnation) {
    FakeTaskManager worker = world.taskManager("one", incarnation);
    worker.follow(job);
    world.env.settle();
    assertThat(world.settled(worker.register(job)).verdict())
        .isEqualTo(RegistrationStatus.ACCEPTED);
    return worker;
  }
}
