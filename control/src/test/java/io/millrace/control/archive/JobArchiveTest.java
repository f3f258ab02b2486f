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
  private final long began = env.wallMillis();

  @Test
  @Behaviour(
      "C3: archived jobs are read on request, outside of the mailbox, and a bounded part stays in"
          + " memory")
  void readsAPageWhenItIsAskedForAndNotBefore() {
    ArchivedJob page = page(1);
    end(archive(Configuration.EMPTY), page);
    JobArchive next = archive(Configuration.EMPTY);
    env.ioTime = Duration.ofMillis(3);
    in(() -> begin(next, List.of(sketch(page))));

    assertThat(in(() -> next.find(page.job()))).contains(page.ended());
    CompletableFuture<Optional<ArchivedJob>> first = in(() -> next.page(page.job()));
    assertThat(first).as("it is read off the mailbox").isNotDone();
    CompletableFuture<Optional<ArchivedJob>> second = in(() -> next.page(page.job()));
    env.advance(Duration.ofMillis(3));

    assertThat(env.answer(first)).contains(page);
    assertThat(env.answer(second)).contains(page);
    assertThat(in(() -> next.page(page.job()))).as("now it is in memory").isDone();
  }

  @Test
  @Behaviour(
      "C3: archived jobs are read on request, outside of the mailbox, and a bounded part stays in"
          + " memory")
  void keepsNoMoreBytesInMemoryThanItMay() {
    ArchivedJob one = page(1);
    ArchivedJob two = page(2);
    int size = ArchiveFileFormat.encode(one).length();
    JobArchive archive =
        archive(
            Configuration.EMPTY.with(
                JobManagerOptions.JOB_STORE_CACHE_SIZE, new MemorySize(size + 10)));
    end(archive, one);
    end(archive, two);
    env.ioTime = Duration.ofMillis(3);

    assertThat(in(() -> archive.page(two.job()))).isDone();
    CompletableFuture<Optional<ArchivedJob>> older = in(() -> archive.page(one.job()));
    assertThat(older).isNotDone();
    env.advance(Duration.ofMillis(3));
    assertThat(older.join()).contains(one);
    assertThat(in(() -> archive.page(two.job()))).as("made room for the older").isNotDone();
  }

  @Test
  @Behaviour(
      "C3: the archive skips damaged, foreign and outdated files; their jobs are shown with their"
          + " results")
  void damagedForeignAndOutdatedPagesArePassedOver() {
    ArchivedJob page = page(1);
    Bytes whole = ArchiveFileFormat.encode(page);
    List<Bytes> unusable = new ArrayList<>();
    unusable.add(Bytes.EMPTY);
    unusable.add(Bytes.utf8("<html>not found</html>"));
    unusable.add(whole.slice(0, whole.length() - 1));
    unusable.add(ArchiveFileFormat.encode(page(2)));
    for (int at = 0; at < whole.length(); at += 7) {
      byte[] damaged = whole.toArray();
      damaged[at] ^= 4;
      unusable.add(Bytes.wrap(damaged));
    }
    for (Bytes content : unusable) {
      store.put(page.job(), content);
      JobArchive archive = archive(Configuration.EMPTY);
      in(() -> begin(archive, List.of(sketch(page))));

      assertThat(env.answer(in(() -> archive.page(page.job())))).contains(sketch(page));
      assertThat(in(archive::all)).containsExactly(page.ended().overview());
    }
    assertThatThrownBy(() -> ArchiveFileFormat.decode(page.job(), unusable.get(3)))
        .hasMessageContaining("it is that of job");
    byte[] otherRelease = whole.toArray();
    otherRelease[9] ^= 1;
    assertThatThrownBy(() -> ArchiveFileFormat.decode(page.job(), Bytes.wrap(otherRelease)))
        .hasMessageContaining("another release");
  }

  @Test
  @Behaviour(
      "C3: the archive skips damaged, foreign and outdated files; their jobs are shown with their"
          + " results")
  void noBytesWhateverDoMoreThanBeingPassedOver() {
    ArchivedJob page = page(1);
    byte[] whole = ArchiveFileFormat.encode(page).toArray();
    Random random = new Random(11);
    for (int i = 0; i < 2000; i++) {
      byte[] content = new byte[random.nextInt(200)];
      random.nextBytes(content);
      System.arraycopy(whole, 0, content, 0, Math.min(16, content.length));
      store.put(page.job(), Bytes.wrap(content));
      JobArchive archive = archive(Configuration.EMPTY);
      in(() -> begin(archive, List.of(sketch(page))));
      assertThat(env.answer(in(() -> archive.page(page.job())))).contains(sketch(page));
    }
  }

  @Test
  void pageOfAnEarlierRunOfTheJobIsNotShown() {
    ArchivedJob earlier = page(1);
    end(archive(Configuration.EMPTY), earlier);
    EndedJob later = EndedJobs.of(earlier.job(), JobStatus.CANCELED, env.wallMillis() + 5);
    ArchivedJob sketch = new ArchivedJob(later, details(later), History.NONE);
    JobArchive archive = archive(Configuration.EMPTY);
    in(() -> begin(archive, List.of(sketch)));

    assertThat(env.answer(in(() -> archive.page(earlier.job())))).contains(sketch);
  }

  @Test
  @Behaviour(
      "C3: archive files are deleted when their jobs expire, make room for newer ones, or are no"
          + " longer known")
  void pagesGoWhenTheirTimeHasComeThoughNobodyAsks() {
    JobArchive archive = archive(Configuration.EMPTY);
    end(archive, page(1));
    env.advance(Duration.ofMinutes(40));
    end(archive, page(2));

    env.advance(Duration.ofMinutes(40));
    assertThat(store.list()).containsExactly(page(2).job());
    env.advance(Duration.ofMinutes(40));
    assertThat(store.list()).isEmpty();
  }

  @Test
  @Behaviour(
      "C3: archive files are deleted when their jobs expire, make room for newer ones, or are no"
          + " longer known")
  void pagesGoForNewerOnesAndWithThoseWhoNobodyRemembers() {
    Configuration two = Configuration.EMPTY.with(JobManagerOptions.JOB_STORE_MAX_CAPACITY, 2);
    JobArchive archive = archive(two);
    List<ArchivedJob> pages = List.of(page(1), page(2), page(3), page(4));
    pages.forEach(page -> end(archive, page));
    assertThat(store.list()).containsExactly(page(3).job(), page(4).job());

    store.put(page(1).job(), Bytes.utf8("left by a leader that was killed"));
    store.put(page(9).job(), Bytes.utf8("of a job that runs"));
    JobArchive next = archive(two);
    in(
        () ->
            next.begin(
                pages.stream().map(JobArchiveTest::sketch).toList(),
                job -> job.equals(page(9).job())));

    assertThat(store.list()).containsExactly(page(3).job(), page(4).job(), page(9).job());
    assertThat(in(next::all)).hasSize(2);
  }

  @Test
  @Behaviour(
      "C3: archive files are deleted when their jobs expire, make room for newer ones, or are no"
          + " longer known")
  void pageThatIsForgottenWhileItIsWrittenIsNotLeftBehind() {
    JobArchive archive =
        archive(Configuration.EMPTY.with(JobManagerOptions.JOB_STORE_MAX_CAPACITY, 1));
    env.ioTime = Duration.ofMillis(3);
    ArchivedJob page = page(1);
    in(
        () -> {
          archive.keep(page);
          archive.add(sketch(page), CollectedRecordsBuffer.nothing());
          archive.add(sketch(page(2)), CollectedRecordsBuffer.nothing());
        });
    env.advance(Duration.ofSeconds(1));

    assertThat(store.list()).isEmpty();
  }

  /** A page that is written later would replace what the next term has stored of the job. */
  @Test
  void stopsWhenNothingIsBeingWrittenAndWritesNothingMore() {
    JobArchive archive = archive(Configuration.EMPTY);
    env.ioTime = Duration.ofMillis(3);
    in(() -> archive.keep(page(1)));
    CompletableFuture<Void> stopped = in(archive::stop);
    CompletableFuture<Void> second = in(() -> archive.keep(page(2)));

    assertThat(stopped).isNotDone();
    env.advance(Duration.ofMillis(3));
    assertThat(stopped).isDone();
    assertThat(second).as("it never fails").isDone();
    assertThat(store.list()).containsExactly(page(1).job());
  }

  private JobArchive archive(Configuration configuration) {
    return new JobArchive(configuration, Optional.of(store), env, mailbox);
  }

  private static void begin(JobArchive archive, List<ArchivedJob> ended) {
    archive.begin(ended, job -> false);
  }

  private void end(JobArchive archive, ArchivedJob page) {
    env.in(
        mailbox,
        () ->
            archive
                .keep(page)
                .thenRun(() -> archive.add(sketch(page), CollectedRecordsBuffer.nothing())));
  }

  private void in(Runnable task) {
    env.in(mailbox, task);
  }

  private <T> T in(Supplier<T> task) {
    AtomicReference<T> answer = new AtomicReference<>();
    env.in(mailbox, () -> answer.set(task.get()));
    return answer.get();
  }

  private ArchivedJob page(int number) {
    EndedJob ended =
        EndedJobs.of(new JobId(new Id128(5, number)), JobStatus.FINISHED, began + number);
    JournalEntry event = new JobSubmitted("in a test").entry().forJob(ended.job());
    return new ArchivedJob(ended, details(ended), new History(List.of(event), List.of(), 3));
  }

  private static ArchivedJob sketch(ArchivedJob page) {
    return new ArchivedJob(page.ended(), page.details(), History.NONE);
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
        ended.result().status(),
        ended.overview().startedAt(),
        ended.overview().endedAt(),
        new LinkedHashMap<>(),
        Optional.empty(),
        0,
        List.of(),
        List.of());
  }
}
