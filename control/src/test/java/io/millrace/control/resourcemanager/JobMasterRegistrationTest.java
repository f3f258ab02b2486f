package io.millrace.control.resourcemanager;

import static io.millrace.control.Reasons.text;
import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.testing.EndedJobs;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.Messages;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Registrations of JobMasters and their ends. */
class JobMasterRegistrationTest extends ResourceManagerTestBase {
  @Test
  @Behaviour(
      "D2: a JobMaster registration is checked against the elected leader of its job; a stale one"
          + " is declined")
  void refusesAJobMasterThatDoesNotLeadItsJob() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster leading = elected.confirm();
    FakeJobMaster stale =
        new FakeJobMaster(
            rpc("stale"), JOB, new LeaderToken(leading.leader.term() - 1, new Id128(0, 0)));
    CompletableFuture<JobMasterReply> reply = stale.register(leader());
    env.settle();
    assertThat(env.answer(reply).verdict()).isEqualTo(RegistrationStatus.REFUSED);
    assertThat(text(env.answer(reply).reason())).contains(leading.leader.toString());
  }

  @Test
  @Behaviour(
      "D2: a JobMaster registration is checked against the elected leader of its job; a stale one"
          + " is declined")
  void acceptsAJobMasterAsSoonAsItsLeadershipIsKnown() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.jobMaster();
    CompletableFuture<JobMasterReply> reply = jobMaster.register(leader());
    env.advance(Duration.ofSeconds(1));
    assertThat(reply).isNotDone();
    elected.confirm(jobMaster);
    assertThat(env.answer(reply).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(env.answer(reply).success().orElseThrow().resourceManager())
        .isEqualTo(leader().token());
  }

  @Test
  @Behaviour("D3: a repeated registration gets the answer of the attempt it repeats")
  void repetitionOfAPendingRegistrationGetsTheSameAnswer() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.jobMaster();
    CompletableFuture<JobMasterReply> first = jobMaster.register(leader());
    CompletableFuture<JobMasterReply> repeat = jobMaster.register(leader());
    env.settle();
    assertThat(first).isNotDone();
    elected.confirm(jobMaster);
    assertThat(env.answer(first).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(env.answer(repeat)).isEqualTo(env.answer(first));
  }

  @Test
  @Behaviour("D2: a repeated registration under the same leader id changes nothing")
  void repeatedRegistrationOfTheSameLeaderChangesNothing() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    CompletableFuture<JobMasterReply> again = jobMaster.register(leader());
    env.settle();
    assertThat(env.answer(again).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    assertThat(jobJournal(ResourceManagerEvent.JobMasterRegistered.class)).hasSize(1);
    assertThat(jobMaster.forgets).isEmpty();
  }

  @Test
  @Behaviour("D2: an older JobMaster is told that it is no longer the leader, and is replaced")
  @Behaviour("D6: only the registered leader of a job may declare requirements")
  void replacesAndNotifiesAnOlderJobMaster() {
    start();
    Candidate first = new Candidate();
    FakeJobMaster predecessor = first.confirm();
    predecessor.register(leader());
    predecessor.declare(leader(), 3);
    env.settle();
    first.candidacy.withdraw();
    FakeJobMaster successor = new Candidate().confirm();
    assertThat(predecessor.forgets).hasSize(1);
    assertThat(text(predecessor.forgets.get(0).reason())).contains("no longer the leader");
    successor.register(leader());
    CompletableFuture<?> late = predecessor.declare(leader(), 7);
    env.settle();
    assertThatThrownBy(() -> env.answer(late)).hasMessageContaining("is not registered");

    successor.declare(leader(), 3);
    env.settle();
    assertThat(last(successor.pending).missing()).isEqualTo(3);
  }

  @Test
  @Behaviour(
      "D11: each unmet requirement has a current reason: what was requested of whom, the answer,"
          + " and what would help")
  void notifiesASuccessorOnceOfTheMissingSlotsOfItsPredecessor() {
    start();
    Candidate first = new Candidate();
    FakeJobMaster predecessor = first.confirm();
    env.answer(predecessor.register(leader()));
    env.answer(predecessor.declare(leader(), 3));
    // After this the reason is not renewed, so that the notification is not a renewal.
    env.advance(Duration.ofSeconds(10));
    first.candidacy.withdraw();
    FakeJobMaster successor = new Candidate().confirm();
    env.answer(successor.register(leader()));
    assertThat(successor.pending).as("before it declares requirements").isEmpty();

    env.answer(successor.declare(leader(), 3));
    env.settle();
    assertThat(successor.pending).containsExactly(last(predecessor.pending));
    env.answer(successor.declare(leader(), 3));
    env.settle();
    assertThat(successor.pending).hasSize(1);
  }

  @Test
  @Behaviour(
      "D2: a job without a leader for resourcemanager.job.timeout is forgotten with its"
          + " requirements")
  void removesAJobWithoutALeaderAfterTheJobTimeout() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.confirm();
    jobMaster.register(leader());
    jobMaster.declare(leader(), 1);
    env.settle();
    elected.candidacy.withdraw();
    env.advance(Duration.ofMinutes(5).minusMillis(1));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).isEmpty();
    env.advance(Duration.ofMillis(1));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).hasSize(1);
    assertThat(registered("w", 1).requests).isEmpty();
  }

  @Test
  @Behaviour(
      "D2: a job without a leader for resourcemanager.job.timeout is forgotten with its"
          + " requirements")
  void keepsAJobThatHasALeaderWithinTheJobTimeout() {
    start();
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.confirm();
    jobMaster.register(leader());
    env.settle();
    elected.candidacy.withdraw();
    env.advance(Duration.ofMinutes(4));
    FakeJobMaster next = new Candidate().confirm();
    next.register(leader());
    next.declare(leader(), 1);
    env.advance(Duration.ofMinutes(2));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).isEmpty();
    assertThat(registered("w", 1).requests).hasSize(1);
  }

  @Test
  @Behaviour(
      "D2: a job without a leader whose result is stored is forgotten within seconds, also if its"
          + " JobMaster could not report the end")
  void removesAJobWithoutALeaderWhoseResultIsStored() {
    start();
    FakeTaskManager worker = registered("w", 1);
    Candidate elected = new Candidate();
    FakeJobMaster jobMaster = elected.confirm();
    jobMaster.register(leader());
    env.settle();
    jobMaster.declare(leader(), 1);
    env.settle();
    new JobResultStore(store, Messages.graphCodec())
        .put(EndedJobs.of(JOB, JobStatus.FINISHED, 1_000), 1);
    env.advance(Duration.ofSeconds(20));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).as("it has a leader").isEmpty();
    elected.candidacy.withdraw();
    env.advance(Duration.ofSeconds(10));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).hasSize(1);
    assertThat(worker.ended).hasSize(1);
    assertThat(registered("x", 1).requests).isEmpty();
  }

  @Test
  void looksForAResultAgainAfterAFailedReadAndNotOnceTheJobHasALeader() {
    start();
    store.unreadable = key -> key.equals(JobResultStore.key(JOB));
    Candidate elected = new Candidate();
    elected.confirm().register(leader());
    env.settle();
    elected.candidacy.withdraw();
    env.advance(Duration.ofSeconds(10));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).isEmpty();
    store.unreadable = key -> false;
    new JobResultStore(store, Messages.graphCodec())
        .put(EndedJobs.of(JOB, JobStatus.FINISHED, 1_000), 1);
    Candidate next = new Candidate();
    next.confirm();
    env.advance(Duration.ofMinutes(1));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).as("it has a leader").isEmpty();
    next.candidacy.withdraw();
    env.advance(Duration.ofSeconds(10));
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).hasSize(1);
  }

  @Test
  @Behaviour(
      "D6: a JobMaster that disconnects keeps the requirements of its job unless the job has ended")
  void removesAnEndedJobAtOnce() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    jobMaster
        .at(leader())
        .disconnectJobMaster(new JobMasterLeaves(JOB, jobMaster.leader, true, words("finished")));
    env.settle();
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).hasSize(1);
    assertThat(registered("w", 1).requests).isEmpty();
    assertThat(jobMaster.forgets).isEmpty();
  }

  @Test
  @Behaviour(
      "D6: a JobMaster repeats the end of its job until the ResourceManager acknowledges it, also"
          + " after it was disconnected")
  void acceptsTheEndOfAJobFromALaterLeaderAndNotFromAnEarlierOne() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();

    LeaderToken earlier = new LeaderToken(jobMaster.leader.term() - 1, new Id128(0, 0));
    assertThat(endJob(jobMaster, earlier)).isEqualTo(Acknowledge.INSTANCE);
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).isEmpty();

    LeaderToken later = new LeaderToken(jobMaster.leader.term() + 1, new Id128(0, 0));
    assertThat(endJob(jobMaster, later)).isEqualTo(Acknowledge.INSTANCE);
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).hasSize(1);
    assertThat(jobMaster.forgets).hasSize(1);
    assertThat(registered("w", 1).requests).isEmpty();
    assertThat(endJob(jobMaster, later))
        .as("a repeated notification")
        .isEqualTo(Acknowledge.INSTANCE);
  }

  private Acknowledge endJob(FakeJobMaster sender, LeaderToken leader) {
    return env.answer(
        sender
            .at(leader())
            .disconnectJobMaster(new JobMasterLeaves(JOB, leader, true, words("finished"))));
  }

  @Test
  @Behaviour(
      "D6: a JobMaster that disconnects keeps the requirements of its job unless the job has ended")
  void notifiesWorkersOfTheEndOfAJob() {
    start();
    FakeTaskManager worker = registered("w", 2);
    FakeTaskManager unused = registered("x", 2);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 2);
    env.settle();
    jobMaster
        .at(leader())
        .disconnectJobMaster(new JobMasterLeaves(JOB, jobMaster.leader, true, words("finished")));
    env.settle();
    assertThat(worker.ended).hasSize(1);
    assertThat(worker.ended.get(0).job()).isEqualTo(JOB);
    assertThat(worker.ended.get(0).instance()).isEqualTo(worker.instance.orElseThrow());
    assertThat(unused.ended).isEmpty();
  }

  @Test
  @Behaviour(
      "D5: a silent or unreachable JobMaster is disconnected with the cause; its requirements stay")
  void disconnectsAJobMasterAfterAHeartbeatTimeoutAndKeepsItsRequirements() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    jobMaster.answersHeartbeats = false;
    env.advance(Duration.ofSeconds(61));
    assertThat(jobMaster.forgets).hasSize(1);
    assertThat(text(jobMaster.forgets.get(0).reason())).contains("heartbeats");
    assertThat(registered("w", 1).requests).hasSize(1);
  }

  @Test
  @Behaviour(
      "D5: a silent or unreachable JobMaster is disconnected with the cause; its requirements stay")
  void lostConnectionEndsTheRegistrationOfAJobMaster() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    processes.get("jobmaster-1").close();
    env.settle();
    assertThat(jobJournal(ResourceManagerEvent.JobMasterLost.class)).hasSize(1);
    FakeJobMaster again = new FakeJobMaster(rpc("again"), JOB, jobMaster.leader);
    CompletableFuture<JobMasterReply> reply = again.register(leader());
    env.settle();
    assertThat(env.answer(reply).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
  }

  @Test
  @Behaviour(
      "D5: a silent or unreachable JobMaster is disconnected with the cause; its requirements stay")
  void notifiesARunningJobMasterOfItsLostConnection() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    processes.get("jobmaster-1").close();
    FakeJobMaster reachable = new FakeJobMaster(rpc("jobmaster-1"), JOB, jobMaster.leader);
    env.settle();
    assertThat(reachable.forgets).hasSize(1);
    assertThat(reachable.forgets.get(0).resourceManager()).isEqualTo(leader().token());
    assertThat(text(reachable.forgets.get(0).reason()))
        .isEqualTo("Process jobmaster-1 closed its connections.");
  }

  @Test
  @Behaviour(
      "D6: a JobMaster that disconnects keeps the requirements of its job unless the job has ended")
  void keepsTheRequirementsOfAJobMasterThatDisconnects() {
    start();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    jobMaster
        .at(leader())
        .disconnectJobMaster(new JobMasterLeaves(JOB, jobMaster.leader, false, words("suspended")));
    env.settle();
    assertThat(jobJournal(ResourceManagerEvent.JobMasterLost.class)).hasSize(1);
    assertThat(jobJournal(ResourceManagerEvent.JobForgotten.class)).isEmpty();
    assertThat(jobMaster.forgets).isEmpty();
    assertThat(registered("w", 1).requests).hasSize(1);
  }
}
