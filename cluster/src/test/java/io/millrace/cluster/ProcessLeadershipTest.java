package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.blob.BlobStore;
import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.ha.ProcessLeadership;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.manual.ManualEnv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessLeadershipTest {
  private static final Bytes JAR = Bytes.utf8("jar");

  @TempDir private Path temporary;
  private final ManualEnv env = new ManualEnv();
  private final HaStore store = new MemoryHaStore();
  private final List<Throwable> fatal = new ArrayList<>();

  /** The leader that all processes see. */
  private Optional<LeaderRecord> published = Optional.empty();

  /** A JobManager with one component, and its session at a coordination service. */
  private final class Member implements Coordinator, LeaderElection.Contender {
    private final LeaderRecord address;
    private final TermStorage storage;
    private final ProcessLeadership leadership;
    private final List<LeaderToken> granted = new ArrayList<>();
    private Optional<LeaderToken> leading = Optional.empty();
    private Mailbox mailbox;
    private Coordinator.Contender contender;
    private Optional<RuntimeException> failure = Optional.empty();
    private boolean elected = true;

    Member(String name) {
      FilePath shared = FilePath.parse(temporary.resolve("shared").toString());
      address = new LeaderRecord(name + ":1", name + ":2");
      storage =
          new TermStorage(FileSystems.withoutPlugins().of(shared), shared, temporary.resolve(name));
      leadership = new ProcessLeadership(env, this, storage.forTerms());
      leadership.election().contend("component", env.mailbox(name), this);
      leadership.contend(address, fatal::add);
      env.settle();
    }

    BlobStore takeOverStorage() throws IOException {
      return storage.take().blobs();
    }

    void elect() {
      mailbox.post(contender::elected);
    }

    void dismiss() {
      mailbox.post(contender::dismissed);
    }

    @Override
    public void granted(LeaderToken token) {
      granted.add(token);
      leading = Optional.of(token);
    }

    @Override
    public void revoked() {
      leading = Optional.empty();
    }

    @Override
    public void contend(LeaderRecord own, Mailbox inside, Coordinator.Contender by) {
      mailbox = inside;
      contender = by;
    }

    @Override
    public boolean takeOver() {
      failure.ifPresent(
          thrown -> {
            throw thrown;
          });
      return elected;
    }

    @Override
    public void publish(LeaderRecord leader) {
      published = Optional.of(leader);
    }

    @Override
    public int contenders() {
      return 1;
    }

    @Override
    public HaStore store() {
      return store;
    }

    @Override
    public Optional<LeaderRecord> leader() {
      return published;
    }

    @Override
    public Subscription onLeaderChange(Runnable listener) {
      return () -> {};
    }

    @Override
    public void close() {}
  }

  @Test
  @Behaviour(
      "G3: a standby takes over blobs and terms of its predecessor, which does no harm any more")
  void standbyTakesOverFromALeaderThatDoesNotKnowIt() throws IOException {
    Member first = new Member("first");
    Member second = new Member("second");
    assertThat(first.leading).isEmpty();
    assertThatThrownBy(() -> first.storage.blobs().put(JAR))
        .hasMessageContaining("does not lead the cluster");

    first.elect();
    env.settle();
    assertThat(first.leading).isPresent();
    assertThat(first.leadership.leads()).isTrue();
    assertThat(first.leadership.otherLeader()).isEmpty();
    assertThat(second.leadership.otherLeader()).contains(first.address);
    BlobKey key = first.storage.blobs().put(JAR);

    // The first one is frozen and not dismissed yet.
    second.elect();
    env.settle();
    assertThat(second.leading.orElseThrow().term())
        .isGreaterThan(first.leading.orElseThrow().term());
    assertThat(second.storage.blobs().readAll(key)).isEqualTo(JAR);
    second.storage.blobs().put(JAR);
    first.storage.blobs().delete(key);
    assertThat(new Member("third").takeOverStorage().readAll(key)).isEqualTo(JAR);

    first.dismiss();
    env.settle();
    assertThat(first.leading).isEmpty();
    assertThat(first.leadership.otherLeader()).contains(second.address);
    assertThat(fatal).isEmpty();
  }

  @Test
  void leadsAgainInAHigherTerm() {
    Member process = new Member("only");
    for (int i = 0; i < 3; i++) {
      process.elect();
      env.settle();
      assertThat(process.leading).isPresent();
      process.dismiss();
      env.settle();
      assertThat(process.leading).isEmpty();
      assertThat(process.leadership.otherLeader()).as("the record is its own").isEmpty();
    }
    assertThat(process.granted).extracting(LeaderToken::term).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void resultOfATakeOverIsIgnoredAfterADismissal() throws IOException {
    Member process = new Member("only");
    process.elect();
    process.dismiss();
    env.settle();
    assertThat(process.granted).isEmpty();

    process.elect();
    process.dismiss();
    process.elect();
    env.settle();
    assertThat(process.granted).hasSize(1);
    process.storage.blobs().put(JAR);
  }

  @Test
  void processThatIsNotElectedAnyMoreTakesNothingOver() throws IOException {
    Member successor = new Member("successor");
    successor.elect();
    env.settle();
    Member former = new Member("former");
    former.elected = false;
    former.elect();
    env.settle();
    assertThat(former.granted).isEmpty();
    assertThat(fatal).as("it will be dismissed").isEmpty();
    assertThat(published).contains(successor.address);
    successor.storage.blobs().put(JAR);
  }

  @Test
  @Behaviour("C1: an elected process that cannot take over ends, so that another one can try")
  void processThatCannotTakeOverEnds() {
    Member process = new Member("only");
    process.failure = Optional.of(new MillraceException(ErrorKind.EXTERNAL, "The disk is full."));
    process.elect();
    env.settle();
    assertThat(fatal)
        .singleElement()
        .satisfies(
            thrown ->
                assertThat(thrown)
                    .hasMessage(
                        "This JobManager is elected and cannot take over: The disk is full."));
    assertThat(process.leading).isEmpty();
  }
}
