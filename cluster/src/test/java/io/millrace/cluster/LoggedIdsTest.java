package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.log.LogContext;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.live.LiveEnv;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

/** The ids that log lines carry. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LoggedIdsTest {
  private static final Set<Map<String, String>> SEEN = ConcurrentHashMap.newKeySet();

  @Test
  @Behaviour("I3: log lines of user code carry the ids of job and task")
  void linesOfUserCodeCarryJobAndTask() throws Exception {
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      new ProgramContext(
              new ClusterJobExecutor(
                  cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE),
              Configuration.EMPTY)
          .during(
              () -> {
                StreamEnvironment env = StreamEnvironment.current().parallelism(2);
                env.generate(number -> number, 100)
                    .map(
                        number -> {
                          // What one task leaves must not reach the lines of another.
                          MDC.put("left", "behind");
                          return number;
                        })
                    .rebalance()
                    .map(
                        number -> {
                          SEEN.add(new TreeMap<>(MDC.getCopyOfContextMap()));
                          return number;
                        })
                    .name("seen")
                    .print();
                return env.execute();
              });
      String job = cluster.jobs().get(0).id().toString();
      assertThat(SEEN)
          .hasSize(2)
          .allSatisfy(
              ids ->
                  assertThat(ids)
                      .containsOnlyKeys("job", "task")
                      .containsEntry("job", job)
                      .hasEntrySatisfying(
                          "task", task -> assertThat(task).contains("seen", "/2, attempt 0)")));
    }
  }

  @Test
  @Behaviour("I3: log lines of a JobMaster carry the id of its job")
  void linesOfAMailboxAndItsBlockingWorkCarryItsIds() {
    try (LiveEnv env = new LiveEnv("ids-test")) {
      Mailbox ofJob = env.mailbox("job", LogContext.ofJob("7"));
      Mailbox other = env.mailbox("other");
      for (int i = 0; i < 100; i++) {
        assertThat(ids(ofJob)).containsExactly(Map.entry("job", "7"));
        assertThat(ids(other)).isEmpty();
        assertThat(env.io().call(ofJob, () -> MDC.get("job")).join()).isEqualTo("7");
        assertThat(env.io().call(other, () -> Optional.ofNullable(MDC.get("job"))).join())
            .isEmpty();
      }
    }
  }

  private static Map<String, String> ids(Mailbox mailbox) {
    CompletableFuture<Map<String, String>> ids = new CompletableFuture<>();
    mailbox.post(
        () -> ids.complete(Optional.ofNullable(MDC.getCopyOfContextMap()).orElse(Map.of())));
    return ids.join();
  }
}
