package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.JobStore;
import io.millrace.control.testing.Graphs;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.ClientReply;
import io.millrace.protocol.StoredJob;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.protocol.text.JournalText;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of jobs that end with their clients. */
class LostClientsTest extends WithDispatcher {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final JobGraph graph = Graphs.pair(2).build().withClientTimeout(TIMEOUT);

  @Test
  @Behaviour(
      "A8: a job that is tied to its client is cancelled, with the reason, after"
          + " client.heartbeat.timeout without a heartbeat")
  void cancelsAJobWhoseClientIsSilentAndRecordsTheReason() throws IOException {
    run(graph);
    world.env.advance(INTERVAL);
    assertThat(beat(graph)).isEqualTo(new ClientReply(true, true));
    world.env.advance(TIMEOUT.minus(MOMENT));
    assertThat(status(graph)).isEqualTo(JobStatus.RUNNING);

    world.env.advance(MOMENT.multipliedBy(2));

    String why = "Its client was last heard of 3 min ago; client.heartbeat.timeout is 3 min";
    assertThat(status(graph)).isEqualTo(JobStatus.CANCELED);
    assertThat(details(graph.id()).failures())
        .singleElement()
        .satisfies(cause -> assertThat(cause.failure().message()).startsWith(why));
    assertThat(history(graph.id()))
        .filteredOn(entry -> entry.event() instanceof ClientLost)
        .singleElement()
        .extracting(JournalText::of)
        .asString()
        .startsWith(why);
  }

  @Test
  @Behaviour(
      "A8: a job that is tied to its client is cancelled, with the reason, after"
          + " client.heartbeat.timeout without a heartbeat")
  void cancelsAJobWhoseClientSendsNoHeartbeat() throws IOException {
    run(graph);
    world.env.advance(TIMEOUT.plus(MOMENT));

    assertThat(status(graph)).isEqualTo(JobStatus.CANCELED);
    assertThat(details(graph.id()).failures().get(0).failure().message())
        .startsWith(
            "Nothing was heard of its client in the 3 min since this JobManager took the job");
  }

  @Test
  @Behaviour(
      "A8: a tied job runs on while heartbeats arrive; pauses of the JobManager and changes of the"
          + " leader do not count as silence")
  void jobRunsWhileHeartbeatsArrive() throws IOException {
    run(graph);
    for (int i = 0; i < 20; i++) {
      world.env.advance(INTERVAL);
      assertThat(beat(graph).expected()).isTrue();
    }

    assertThat(status(graph)).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  void detachedJobsNeedNoHeartbeats() throws IOException {
    JobGraph detached = Graphs.pair(2).build();
    run(detached);
    assertThat(beat(detached)).isEqualTo(new ClientReply(true, false));
    world.env.advance(TIMEOUT.multipliedBy(3));

    assertThat(status(detached)).isEqualTo(JobStatus.RUNNING);
  }

  @Test
  @Behaviour(
      "A8: a tied job runs on while heartbeats arrive; pauses of the JobManager and changes of the"
          + " leader do not count as silence")
  void timeoutStartsAgainUnderTheNextLeader() throws IOException {
    run(graph);
    world.env.advance(TIMEOUT.minus(MOMENT));
    world.settled(runner.stop());
    world.env.advance(TIMEOUT);
    startDispatcher(Configuration.EMPTY);
    worker(graph.id(), "second");

    world.env.advance(TIMEOUT.minus(MOMENT));
    assertThat(status(graph)).isEqualTo(JobStatus.RUNNING);
    assertThat(beat(graph).expected()).isTrue();

    world.env.advance(TIMEOUT.plus(MOMENT));
    assertThat(status(graph)).isEqualTo(JobStatus.CANCELED);
  }

  @Test
  void endOfAJobStopsTheTimeoutOfItsClient() throws IOException {
    world.settled(submit(graph));
    finish(graph.id());

    assertThat(beat(graph)).isEqualTo(new ClientReply(true, false));
    world.env.advance(TIMEOUT.multipliedBy(2));
    assertThat(status(graph)).isEqualTo(JobStatus.FINISHED);
    JobGraph unknown = new Graphs(99).vertex("x", 1).build();
    assertThat(beat(unknown)).isEqualTo(new ClientReply(false, false));
  }

  @Test
  @Behaviour(
      "A8: a job that is tied to its client is cancelled, with the reason, after"
          + " client.heartbeat.timeout without a heartbeat")
  void retriesACancellationThatCannotBeStored() throws IOException {
    run(graph);
    store.failures = Integer.MAX_VALUE;
    world.env.advance(TIMEOUT.plus(MINUTE));
    assertThat(status(graph)).isEqualTo(JobStatus.RUNNING);

    store.failures = 0;
    world.env.advance(TIMEOUT.plus(MINUTE));

    assertThat(status(graph)).isEqualTo(JobStatus.CANCELED);
    assertThat(new JobStore(store, codec).all()).extracting(StoredJob::job).isEmpty();
  }

  private void run(JobGraph job) throws IOException {
    world.settled(submit(job));
    worker(job.id(), "one");
  }

  private JobStatus status(JobGraph job) {
    return details(job.id()).status();
  }

  private ClientReply beat(JobGraph job) {
    return world.settled(dispatcher().hearClient(new ClientHeartbeat(job.id())));
  }
}
