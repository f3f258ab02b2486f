package io.millrace.rpc.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JournalTest {
  private final Journal journal = new Journal(0x1234_5678_9abc_def0L, () -> 42);

  record Numbered(int number) {}

  private static JobId job(int number) {
    return new JobId(new Id128(0, number));
  }

  private static JournalEntry event(int number) {
    return JournalEntry.of(new Numbered(number));
  }

  private static List<String> details(List<JournalEntry> events) {
    return events.stream().map(entry -> "" + ((Numbered) entry.event()).number()).toList();
  }

  @Test
  void keepsTheFirstAndTheNewestEventsOfAJob() {
    for (int i = 0; i < 500; i++) {
      journal.append(event(i).forJob(job(1)));
    }
    journal.append(event(7).forJob(job(2)));
    assertThat(details(journal.of(job(1))))
        .hasSize(250)
        .startsWith("0", "1")
        .containsSequence("99", "350")
        .endsWith("499");
    assertThat(details(journal.of(job(2)))).containsExactly("7");
    assertThat(journal.dropped()).isEqualTo(250);
    assertThat(journal.history(job(1)).dropped()).isEqualTo(250);
    assertThat(journal.history(job(2)).dropped()).isZero();
  }

  @Test
  void eventsOfWorkersDoNotDisplaceThoseOfTheJob() {
    for (int i = 0; i < 100; i++) {
      journal.append(event(i).forJob(job(1)));
    }
    journal.append(event(100).forJob(job(1)));
    for (int i = 101; i < 1000; i++) {
      journal.append(event(i).forJob(job(1)).onWorker(new WorkerId("w" + i)));
    }
    journal.append(event(1000).forJob(job(1)));
    assertThat(details(journal.of(job(1))))
        .hasSize(252)
        .containsSequence("99", "100", "850", "851")
        .endsWith("999", "1000");
  }

  @Test
  void historyContainsWorkerEventsSinceTheFirstEventOfTheJob() {
    journal.append(event(1).onWorker(new WorkerId("before")));
    journal.append(event(2).forJob(job(1)));
    journal.append(event(3).onWorker(new WorkerId("after")));
    assertThat(details(journal.history(job(1)).events())).containsExactly("2");
    assertThat(details(journal.history(job(1)).cluster())).containsExactly("3");
    for (int i = 4; i < 1000; i++) {
      journal.append(event(i));
    }
    assertThat(details(journal.history(job(1)).cluster()))
        .hasSize(300)
        .startsWith("3")
        .endsWith("999");
    assertThat(journal.history(job(9))).isEqualTo(History.NONE);
  }

  @Test
  void computesTheBeginningOfAnEvent() {
    journal.append(event(1).forJob(job(1)).taking(12));
    JournalEntry kept = journal.of(job(1)).get(0);
    assertThat(kept.since()).isEqualTo(30);
  }

  @Test
  void keepsTheNewestClusterEvents() {
    for (int i = 0; i < 2500; i++) {
      journal.append(event(i));
    }
    assertThat(details(journal.ofCluster())).hasSize(2000).startsWith("500").endsWith("2499");
    assertThat(journal.dropped()).isEqualTo(500);
  }

  @Test
  void dropsTheLeastRecentlyWrittenJob() {
    journal.append(event(0).forJob(job(0)));
    for (int i = 1; i <= 1000; i++) {
      journal.append(event(0).forJob(job(0)));
      journal.append(event(i).forJob(job(i)));
    }
    assertThat(journal.of(job(0))).hasSize(250);
    assertThat(journal.of(job(1))).isEmpty();
    assertThat(journal.of(job(2))).hasSize(1);
  }

  @Test
  void idsStartWithTheOriginOfTheProcess() {
    long first = journal.append(event(1).causedBy(9));
    long second = journal.append(event(2).forJob(job(1)));
    assertThat(second).isEqualTo(first + 1);
    assertThat(first >>> 40).isEqualTo(0x1234_5678_9abc_def0L >>> 40);
    JournalEntry kept = journal.ofCluster().get(0);
    assertThat(kept.id()).isEqualTo(first);
    assertThat(kept.wallMillis()).isEqualTo(42);
    assertThat(kept.cause()).isEqualTo(9);
  }

  @Test
  void removesAJob() {
    journal.append(event(1).forJob(job(1)));
    journal.forget(job(1));
    assertThat(journal.of(job(1))).isEmpty();
    assertThat(journal.dropped()).isZero();
  }
}
