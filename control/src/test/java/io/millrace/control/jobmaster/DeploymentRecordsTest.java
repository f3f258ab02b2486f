package io.millrace.control.jobmaster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.ha.DeploymentStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredDeployment;
import io.millrace.protocol.StoredDeployment.StoredExecution;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeploymentRecordsTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("jobmaster");
  private final BreakableStore storage = new BreakableStore();
  private final DeploymentStore store =
      new DeploymentStore(storage, RecordCodec.of(Messages.table()));
  private final DeploymentRecords records = new DeploymentRecords(env, mailbox, JOB, 1, store);
  private final List<String> sent = new ArrayList<>();
  private StoredDeployment current = deployment(0);

  private static final class BreakableStore implements HaStore {
    private final HaStore real = new MemoryHaStore();
    boolean broken;

    @Override
    public Optional<Versioned> read(String key) {
      return real.read(key);
    }

    @Override
    public long write(String key, Bytes value, long expectedVersion, long term) {
      if (broken) {
        throw new MillraceException(ErrorKind.EXTERNAL, "The disk is full");
      }
      return real.write(key, value, expectedVersion, term);
    }

    @Override
    public void delete(String key, long expectedVersion, long term) {
      real.delete(key, expectedVersion, term);
    }

    @Override
    public List<String> list(String prefix) {
      return real.list(prefix);
    }
  }

  private static StoredDeployment deployment(int attempt) {
    return new StoredDeployment(
        List.of(),
        List.of(
            new StoredExecution(
                new ExecutionId(new Id128(4, attempt)),
                attempt,
                StoredExecution.NOT_DEPLOYED,
                new CheckpointOutcomes(0, 0))));
  }

  @BeforeEach
  void begin() {
    store.begin(JOB, true, 1);
  }

  private void store(String name) {
    mailbox.post(() -> records.store(() -> current, () -> sent.add(name)));
    env.settle();
  }

  @Test
  void sendsWhatIsStored() {
    store("first");
    assertThat(sent).containsExactly("first");
    assertThat(store.begin(JOB, true, 2)).isEqualTo(deployment(0));
  }

  @Test
  void waitsForABrokenStoreAndStoresWhatIsDeployedThen() {
    storage.broken = true;
    store("first");
    assertThat(sent).isEmpty();
    storage.broken = false;
    current = deployment(1);
    store("second");
    assertThat(sent).containsExactly("second");
    env.advance(SECOND);
    assertThat(sent).containsExactly("second", "first");
    assertThat(store.begin(JOB, true, 2)).as("not the earlier one").isEqualTo(deployment(1));
  }

  @Test
  void sendsNothingIfThereIsALaterLeader() {
    store.begin(JOB, true, 2);
    store("first");
    env.advance(SECOND);
    assertThat(sent).isEmpty();
  }

  @Test
  void sendsNothingAfterItsEnd() {
    storage.broken = true;
    store("first");
    records.close();
    storage.broken = false;
    env.advance(SECOND);
    assertThat(sent).isEmpty();
  }
}
