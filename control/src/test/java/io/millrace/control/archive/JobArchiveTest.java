package io.millrace.control.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.jobmaster.CollectedRecordsBuffer;
import io.millrace.control.testing.EndedJobs;
import io.millrace.core.Bytes;
import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.journal.DispatcherEvent.JobSubmitted;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class JobArchiveTest {
  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("archive");
  private final MemoryArchive store = new MemoryArchive();
  private final long startMillis = env.wallMillis();

  @Test
  @Behaviour(
      "C3: archived jobs are read on request, outside of the mailbox, and a bounded part stays in"
          + " memory")
  void readsAnArchivedJobOnRequestOnly() {
    ArchivedJob archived = archivedJob(1);
    end(archive(Configuration.EMPTY), archived);
    JobArchive next = archive(Configuration.EMPTY);
    env.ioTime = Duration.ofMillis(3);
    in(() -> restore(next, List.of(summary(archived))));

    assertThat(in(() -> next.find(archived.job()))).contains(archived.ended());
    CompletableFuture<Optional<ArchivedJob>> first = in(() -> next.read(archived.job()));
    assertThat(first).as("read outside of the mailbox").isNotDone();
    CompletableFuture<Optional<ArchivedJob>> second = in(() -> next.read(archived.job()));
    env.advance(Duration.ofMillis(3));

    assertThat(env.answer(first)).contains(archived);
    assertThat(env.answer(second)).contains(archived);
    assertThat(in(() -> next.read(archived.job()))).as("cached after the first read").isDone();
  }

  @Test
  @Behaviour(
      "C3: archived jobs are read on request, outside of the mailbox, and a bounded part stays in"
          + " memory")
  void cacheIsBoundedByBytes() {
    ArchivedJob one = archivedJob(1);
    ArchivedJob two = archivedJob(2);
    int size = ArchiveFileFormat.encode(one).length();
    JobArchive archive =
        archive(
            Configuration.EMPTY.with(
                JobManagerOptions.JOB_STORE_CACHE_SIZE, new MemorySize(size + 10)));
    end(archive, one);
    end(archive, two);
    env.ioTime = Duration.ofMillis(3);

    assertThat(in(() -> archive.read(two.job()))).isDone();
    CompletableFuture<Optional<ArchivedJob>> older = in(() -> archive.read(one.job()));
    assertThat(older).isNotDone();
    env.advance(Duration.ofMillis(3));
    assertThat(older.join()).contains(one);
    assertThat(in(() -> archive.read(two.job()))).as("evicted by the older job").isNotDone();
  }

  @Test
  @Behaviour(
      "C3: the archive skips damaged, foreign and outdated files; their jobs are shown with their"
          + " results")
  void skipsDamagedForeignAndOutdatedFiles() {
    ArchivedJob archived = archivedJob(1);
    Bytes valid = ArchiveFileFormat.encode(archived);
    List<Bytes> unusable = new ArrayList<>();
    unusable.add(Bytes.EMPTY);
    unusable.add(Bytes.utf8("<html>not found</html>"));
    unusable.add(valid.slice(0, valid.length() - 1));
    unusable.add(ArchiveFileFormat.encode(archivedJob(2)));
    for (int position = 0; position < valid.length(); position += 7) {
      byte[] damaged = valid.toArray();
      damaged[position] ^= 4;
      unusable.add(Bytes.wrap(damaged));
    }
    for (Bytes content : unusable) {
      store.put(archived.job(), content);
      JobArchive archive = archive(Configuration.EMPTY);
      in(() -> restore(archive, List.of(summary(archived))));

      assertThat(env.answer(in(() -> archive.read(archived.job())))).contains(summary(archived));
      assertThat(in(archive::all)).containsExactly(archived.ended().overview());
    }
    assertThatThrownBy(() -> ArchiveFileFormat.decode(archived.job(), unusable.get(3)))
        .hasMessageContaining("it belongs to job");
    byte[] otherRelease = valid.toArray();
    otherRelease[9] ^= 1;
    assertThatThrownBy(() -> ArchiveFileFormat.decode(archived.job(), Bytes.wrap(otherRelease)))
        .hasMessageContaining("another release");
  }

  @Test
  @Behaviour(
      "C3: the archive skips damaged, foreign and outdated files; their jobs are shown with their"
          + " results")
  void skipsFilesWithRandomContent() {
    ArchivedJob archived = archivedJob(1);
    byte[] valid = ArchiveFileFormat.encode(archived).toArray();
    Random random = new Random(11);
    for (int i = 0; i < 2000; i++) {
      byte[] content = new byte[random.nextInt(200)];
      random.nextBytes(content);
      System.arraycopy(valid, 0, content, 0, Math.min(16, content.length));
      store.put(archived.job(), Bytes.wrap(content));
      JobArchive archive = archive(Configuration.EMPTY);
      in(() -> restore(archive, List.of(summary(archived))));
      assertThat(env.answer(in(() -> archive.read(archived.job())))).contains(summary(archived));
    }
  }

  @Test
  void archivedJobOfAnEarlierRunIsNotShown() {
    ArchivedJob earlier = archivedJob(1);
    end(archive(Configuration.EMPTY), earlier);
    EndedJob later = EndedJobs.of(earlier.job(), JobStatus.CANCELED, env.wallMillis() + 5);
    ArchivedJob summary = new ArchivedJob(later, details(later), History.NONE);
    JobArchive archive = archive(Configuration.EMPTY);
    in(() -> restore(archive, List.of(summary)));

    assertThat(env.answer(in(() -> archive.read(earlier.job())))).contains(summary);
  }

  @Test
  @Behaviour(
      "C3: archive files are deleted when their jobs expire, make room for newer ones, or are no"
          + " longer known")
  void archivedJobsExpireWithoutARequest() {
    JobArchive archive = archive(Configuration.EMPTY);
    end(archive, archivedJob(1));
    env.advance(Duration.ofMinutes(40));
    end(archive, archivedJob(2));

    env.advance(Duration.ofMinutes(40));
    assertThat(store.list()).containsExactly(archivedJob(2).job());
    env.advance(Duration.ofMinutes(40));
    assertThat(store.list()).isEmpty();
  }

  @Test
  @Behaviour(
      "C3: archive files are deleted when their jobs expire, make room for newer ones, or are no"
          + " longer known")
  void archiveRemovesOldestJobsAtCapacityAndFilesOfUnknownJobs() {
    Configuration two = Configuration.EMPTY.with(JobManagerOptions.JOB_STORE_MAX_CAPACITY, 2);
    JobArchive archive = archive(two);
    List<ArchivedJob> jobs =
        List.of(archivedJob(1), archivedJob(2), archivedJob(3), archivedJob(4));
    jobs.forEach(archived -> end(archive, archived));
    assertThat(store.list()).containsExactly(archivedJob(3).job(), archivedJob(4).job());

    store.put(archivedJob(1).job(), Bytes.utf8("left by a leader that was killed"));
    store.put(archivedJob(9).job(), Bytes.utf8("of a job that runs"));
    JobArchive next = archive(two);
    in(
        () ->
            next.restore(
                jobs.stream().map(JobArchiveTest::summary).toList(),
                job -> job.equals(archivedJob(9).job())));

    assertThat(store.list())
        .containsExactly(archivedJob(3).job(), archivedJob(4).job(), archivedJob(9).job());
    assertThat(in(next::all)).hasSize(2);
  }

  @Test
  @Behaviour(
      "C3: archive files are deleted when their jobs expire, make room for newer ones, or are no"
          + " longer known")
  void jobThatExpiresDuringItsWriteLeavesNoFile() {
    JobArchive archive =
        archive(Configuration.EMPTY.with(JobManagerOptions.JOB_STORE_MAX_CAPACITY, 1));
    env.ioTime = Duration.ofMillis(3);
    ArchivedJob archived = archivedJob(1);
    in(
        () -> {
          archive.write(archived);
          archive.add(summary(archived), CollectedRecordsBuffer.nothing());
          archive.add(summary(archivedJob(2)), CollectedRecordsBuffer.nothing());
        });
    env.advance(Duration.ofSeconds(1));

    assertThat(store.list()).isEmpty();
  }

  /** A job that is written later would replace what the next term has stored of the job. */
  @Test
  void stopsWhenNothingIsBeingWrittenAndWritesNothingMore() {
    JobArchive archive = archive(Configuration.EMPTY);
    env.ioTime = Duration.ofMillis(3);
    in(() -> archive.write(archivedJob(1)));
    CompletableFuture<Void> stopped = in(archive::stop);
    CompletableFuture<Void> second = in(() -> archive.write(archivedJob(2)));

    assertThat(stopped).isNotDone();
    env.advance(Duration.ofMillis(3));
    assertThat(stopped).isDone();
    assertThat(second).as("it never fails").isDone();
    assertThat(store.list()).containsExactly(archivedJob(1).job());
  }

  private JobArchive archive(Configuration configuration) {
    return new JobArchive(
        configuration, new ArchiveTargets(Optional.of(store), Optional.empty()), env, mailbox);
  }

  private static void restore(JobArchive archive, List<ArchivedJob> ended) {
    archive.restore(ended, job -> false);
  }

  private void end(JobArchive archive, ArchivedJob archived) {
    env.in(
        mailbox,
        () ->
            archive
                .write(archived)
                .thenRun(() -> archive.add(summary(archived), CollectedRecordsBuffer.nothing())));
  }

  private void in(Runnable task) {
    env.in(mailbox, task);
  }

  private <T> T in(Supplier<T> task) {
    AtomicReference<T> answer = new AtomicReference<>();
    env.in(mailbox, () -> answer.set(task.get()));
    return answer.get();
  }

  private ArchivedJob archivedJob(int number) {
    EndedJob ended =
        EndedJobs.of(new JobId(new Id128(5, number)), JobStatus.FINISHED, startMillis + number);
    JournalEntry event = new JobSubmitted("in a test").entry().forJob(ended.job());
    return new ArchivedJob(ended, details(ended), new History(List.of(event), List.of(), 3));
  }

  private static ArchivedJob summary(ArchivedJob archived) {
    return new ArchivedJob(archived.ended(), archived.details(), History.NONE);
  }

  private static JobDetails details(EndedJob ended) {
    return new JobDetails(
        new JobGraph(
            ended.job(),
            "ended",
            JobType.STREAMING,
            List.of(),
            List.of(),
            List.of(),
            Configuration.EMPTY),
        new JobDetails.StatusHistory(
            ended.result().status(),
            ended.overview().startedAt(),
            ended.overview().endedAt(),
            new LinkedHashMap<>()),
        JobSlots.NONE,
        Optional.empty(),
        0,
        List.of(),
        List.of());
  }
}
