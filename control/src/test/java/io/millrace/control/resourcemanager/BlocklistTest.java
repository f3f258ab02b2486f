package io.millrace.control.resourcemanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.Blocks;
import io.millrace.protocol.ResourceManagerGateway.ListBlocks;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Blocked workers and nodes. */
class BlocklistTest extends ResourceManagerTestBase {
  @Test
  @Behaviour(
      "D10: blocked nodes and workers get no new allocation until the block expires; running tasks"
          + " stay")
  void allocatesNoSlotsOfABlockedNodeUntilTheBlockExpires() {
    startActive();
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.declare(leader(), 1);
    env.settle();
    jobMaster.at(leader()).block(new Block("w1", Duration.ofSeconds(20), "Its disk fails."));
    env.settle();
    assertThat(driver.blockedNodes).containsExactly("w1");
    FakeTaskManager worker = startWorker("w1");
    assertThat(worker.requests).isEmpty();
    CompletableFuture<Blocks> blocks = jobMaster.at(leader()).listBlocks(new ListBlocks());
    env.settle();
    assertThat(env.answer(blocks).blocks().get(0).cause()).isEqualTo("Its disk fails.");
    env.advance(Duration.ofSeconds(21));
    assertThat(worker.requests).hasSize(1);
    assertThat(driver.blockedNodes).isEmpty();
    assertThat(JournalText.of(clusterJournal(ResourceManagerEvent.TargetUnblocked.class).get(0)))
        .contains("time is over");
  }

  @Test
  @Behaviour(
      "D10: blocked nodes and workers get no new allocation until the block expires; running tasks"
          + " stay")
  void renewedBlockReplacesTheExpiryTime() {
    start();
    FakeTaskManager worker = registered("w1", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.at(leader()).block(new Block("w1", Duration.ofSeconds(20), "Its disk fails."));
    env.advance(Duration.ofSeconds(10));
    jobMaster.at(leader()).block(new Block("w1", Duration.ofSeconds(60), "It still does."));
    jobMaster.declare(leader(), 1);

    env.advance(Duration.ofSeconds(59));
    assertThat(worker.requests).isEmpty();
    assertThat(clusterJournal(ResourceManagerEvent.TargetUnblocked.class)).isEmpty();
    env.advance(Duration.ofSeconds(2));
    assertThat(worker.requests).hasSize(1);
    assertThat(clusterJournal(ResourceManagerEvent.TargetUnblocked.class)).hasSize(1);
  }

  @Test
  void blocksASingleWorkerOrAllWorkersOfANode() {
    start();
    FakeTaskManager one = registeredAt("node:1", "w1");
    FakeTaskManager two = registeredAt("node:2", "w2");
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.at(leader()).block(new Block("w1", Duration.ofHours(1), "Maintenance."));
    jobMaster.at(leader()).block(new Block("node", Duration.ofHours(1), "Maintenance."));
    jobMaster.declare(leader(), 2);
    env.settle();
    assertThat(one.requests).isEmpty();
    assertThat(two.requests).isEmpty();
    jobMaster.at(leader()).unblock(new Unblock("node"));
    env.settle();
    assertThat(one.requests).isEmpty();
    assertThat(two.requests).hasSize(1);
  }

  private FakeTaskManager registeredAt(String process, String id) {
    FakeTaskManager worker = new FakeTaskManager(rpc(process), id, 1);
    env.settle();
    assertThat(register(worker, 1).verdict()).isEqualTo(RegistrationStatus.ACCEPTED);
    worker.report(leader());
    env.settle();
    return worker;
  }

  @Test
  void allocatesSlotsAgainAfterUnblock() {
    start();
    FakeTaskManager worker = registered("w1", 1);
    FakeJobMaster jobMaster = registeredJobMaster();
    jobMaster.at(leader()).block(new Block("w1", Duration.ofHours(1), "Maintenance."));
    jobMaster.declare(leader(), 1);
    env.settle();
    assertThat(worker.requests).isEmpty();
    jobMaster.at(leader()).unblock(new Unblock("w1"));
    env.settle();
    assertThat(worker.requests).hasSize(1);
    CompletableFuture<Acknowledge> again = jobMaster.at(leader()).unblock(new Unblock("w1"));
    env.settle();
    assertThatThrownBy(() -> env.answer(again)).hasMessageContaining("w1 is not blocked");
  }
}
