package io.millrace.rpc.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares a journal with one that drops nothing and from which the same entries are chosen. */
final class RandomJournalTest {
  private static final int FIRST = 100;
  private static final int LATER = 150;
  private static final int CLUSTER = 2_000;
  private static final int JOBS = 1_000;

  private final List<JournalEntry> appended = new ArrayList<>();
  private final Journal journal = new Journal(1L << 41, appended::size, appended::add);

  /** The entries of the jobs that are not displaced, least recently written first. */
  private final Map<JobId, List<JournalEntry>> ofJobs = new LinkedHashMap<>();

  private final List<JournalEntry> ofCluster = new ArrayList<>();

  /** The kept entries of jobs that were displaced by others, which count as dropped. */
  private long displaced;

  private long droppedOfDisplaced;

  record Step(int number) {}

  private static JobId job(int number) {
    return new JobId(new Id128(0, number));
  }

  private void append(Random random, int number, int jobs) {
    JournalEntry entry = JournalEntry.of(new Step(number));
    if (random.nextBoolean()) {
      entry = entry.onWorker(new WorkerId("worker-" + random.nextInt(5)));
    }
    if (random.nextInt(4) == 0) {
      journal.append(entry);
      ofCluster.add(appended.get(appended.size() - 1));
      return;
    }
    // Some jobs have many entries and others few.
    JobId job = job(Math.min(random.nextInt(jobs), random.nextInt(jobs)));
    journal.append(entry.forJob(job));
    List<JournalEntry> entries = ofJobs.remove(job);
    entries = entries == null ? new ArrayList<>() : entries;
    entries.add(appended.get(appended.size() - 1));
    ofJobs.put(job, entries);
    if (ofJobs.size() > JOBS) {
      JobId oldest = ofJobs.keySet().iterator().next();
      List<JournalEntry> gone = ofJobs.remove(oldest);
      displaced += kept(gone).size();
      droppedOfDisplaced += gone.size() - kept(gone).size();
    }
  }

  private static List<JournalEntry> kept(List<JournalEntry> all) {
    List<JournalEntry> first = all.subList(0, Math.min(FIRST, all.size()));
    List<JournalEntry> later = all.subList(first.size(), all.size());
    List<JournalEntry> kept = new ArrayList<>(first);
    for (boolean worker : new boolean[] {false, true}) {
      List<JournalEntry> kind =
          later.stream().filter(entry -> entry.worker().isPresent() == worker).toList();
      kept.addAll(kind.subList(Math.max(0, kind.size() - LATER), kind.size()));
    }
    kept.sort(Comparator.comparingLong(JournalEntry::id));
    return kept;
  }

  private List<JournalEntry> keptOfCluster() {
    return ofCluster.subList(Math.max(0, ofCluster.size() - CLUSTER), ofCluster.size());
  }

  private void check(JobId job) {
    List<JournalEntry> all = ofJobs.getOrDefault(job, List.of());
    List<JournalEntry> kept = kept(all);
    assertThat(journal.of(job)).isEqualTo(kept);
    History history = journal.history(job);
    assertThat(history.events()).isEqualTo(kept);
    assertThat(history.dropped()).isEqualTo(all.size() - kept.size());
    if (all.isEmpty()) {
      assertThat(history).isEqualTo(History.NONE);
      return;
    }
    List<JournalEntry> since =
        keptOfCluster().stream().filter(entry -> entry.id() > kept.get(0).id()).toList();
    List<JournalEntry> shown = new ArrayList<>(since);
    if (since.size() > 2 * LATER) {
      shown = new ArrayList<>(since.subList(0, LATER));
      shown.addAll(since.subList(since.size() - LATER, since.size()));
    }
    assertThat(history.cluster()).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 40, 1_300})
  void keepsTheFirstAndTheNewestEntriesOfEachJobAndOfTheCluster(int jobs) {
    Random random = new Random(jobs);
    for (int i = 0; i < 12_000; i++) {
      append(random, i, jobs);
      if (i % 3_000 == 2_999) {
        for (int number = 0; number < jobs; number += 1 + jobs / 50) {
          check(job(number));
        }
      }
    }
    assertThat(journal.ofCluster()).isEqualTo(keptOfCluster());
    long dropped =
        displaced
            + droppedOfDisplaced
            + (ofCluster.size() - keptOfCluster().size())
            + ofJobs.values().stream().mapToLong(all -> all.size() - kept(all).size()).sum();
    assertThat(journal.dropped()).isEqualTo(dropped);
    assertThat(appended).extracting(JournalEntry::id).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void entriesTakeNoNegativeTime() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JournalEntry.of(new Step(1)).taking(-1))
        .withMessageContaining("not -1");
  }
}
