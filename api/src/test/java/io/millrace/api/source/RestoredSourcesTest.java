package io.millrace.api.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Sources that are restored again and again, with any distribution of their splits. */
class RestoredSourcesTest {
  private static final int SEEDS = 100;

  /** Reads a part, takes a checkpoint, reads on and goes back to the checkpoint, until the end. */
  private static <T, S extends SourceSplit> List<T> read(Random random, Source<T, S> source)
      throws Exception {
    List<T> confirmed = new ArrayList<>();
    List<S> splits = null;
    for (int round = 0; splits == null || !splits.isEmpty(); round++) {
      int parallelism = 1 + random.nextInt(4);
      List<List<S>> shares = new ArrayList<>();
      for (int subtask = 0; subtask < parallelism; subtask++) {
        shares.add(
            splits == null
                ? new ArrayList<>(source.initialSplits(new TestContext(subtask, parallelism)))
                : new ArrayList<>());
      }
      if (splits != null) {
        for (S split : splits) {
          shares.get(random.nextInt(parallelism)).add(split);
        }
      }
      List<S> next = new ArrayList<>();
      for (int subtask = 0; subtask < parallelism; subtask++) {
        try (SourceReader<T, S> reader =
            source.createReader(new TestContext(subtask, parallelism))) {
          reader.addSplits(shares.get(subtask));
          poll(random, reader, confirmed);
          next.addAll(reader.snapshot(round));
          // What is read after the checkpoint is read again after the failure.
          poll(random, reader, new ArrayList<>());
        }
      }
      Collections.shuffle(next, random);
      splits = next;
      assertThat(round).as("rounds").isLessThan(1_000);
    }
    return confirmed;
  }

  private static <T> void poll(Random random, SourceReader<T, ?> reader, List<T> records)
      throws Exception {
    PollingReader.Status status = PollingReader.Status.MORE;
    for (int i = random.nextInt(6); i > 0 && status == PollingReader.Status.MORE; i--) {
      int limit = 1 + random.nextInt(5);
      List<T> polled = new ArrayList<>();
      status = reader.poll(polled::add, limit);
      assertThat(polled).hasSizeLessThanOrEqualTo(limit);
      records.addAll(polled);
    }
  }

  @Test
  @Behaviour("H4: a source goes on from the positions of a checkpoint, at any parallelism")
  void collectionIsReadOnceWhateverIsRestored() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Integer> elements = IntStream.range(0, random.nextInt(60)).boxed().toList();

      assertThat(read(random, CollectionSource.of(elements)))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(elements);
    }
  }

  @Test
  void generatorMakesEachIndexOnceWhateverIsRestored() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      long count = random.nextInt(60);

      assertThat(read(random, GeneratorSource.<Long>of(index -> index).count(count)))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(LongStream.range(0, count).boxed().toList());
    }
  }

  /** The records of each split, and the splits that have ended. */
  private static final class BySplit implements SourceOutput<Long> {
    private final Map<String, List<Long>> records = new LinkedHashMap<>();
    private final List<String> finished = new ArrayList<>();
    private String current = "none";

    @Override
    public void emit(Long record) {
      records.computeIfAbsent(current, split -> new ArrayList<>()).add(record);
    }

    @Override
    public void split(String splitId) {
      current = splitId;
    }

    @Override
    public void splitFinished(String splitId) {
      finished.add(splitId);
    }
  }

  private static SourceReader<Long, GeneratorSource.Sequence> threeSplits(long count)
      throws Exception {
    SourceReader<Long, GeneratorSource.Sequence> reader =
        GeneratorSource.<Long>of(index -> index).count(count).createReader(new TestContext(0, 1));
    reader.addSplits(
        List.of(
            new GeneratorSource.Sequence(0, 3),
            new GeneratorSource.Sequence(1, 3),
            new GeneratorSource.Sequence(2, 3)));
    return reader;
  }

  @Test
  void recordsOfSeveralSplitsAreToldApartAndEachSplitEndsOnce() throws Exception {
    SourceReader<Long, GeneratorSource.Sequence> reader = threeSplits(20);
    BySplit out = new BySplit();
    while (reader.poll(out, 2) == PollingReader.Status.MORE) {
      assertThat(out.finished).doesNotHaveDuplicates();
    }

    assertThat(out.records)
        .isEqualTo(
            Map.of(
                "0 of 3", List.of(0L, 3L, 6L, 9L, 12L, 15L, 18L),
                "1 of 3", List.of(1L, 4L, 7L, 10L, 13L, 16L, 19L),
                "2 of 3", List.of(2L, 5L, 8L, 11L, 14L, 17L)));
    assertThat(out.finished).containsExactlyInAnyOrder("0 of 3", "1 of 3", "2 of 3");
  }

  @Test
  void pausedSplitsAreNotReadWhileOthersAre() throws Exception {
    SourceReader<Long, GeneratorSource.Sequence> reader = threeSplits(3_000);
    BySplit out = new BySplit();
    reader.pauseSplits(Set.of("0 of 3", "2 of 3"));
    for (int i = 0; i < 10; i++) {
      reader.poll(out, 5);
    }
    assertThat(out.records.keySet()).containsExactly("1 of 3");

    reader.pauseSplits(Set.of());
    for (int i = 0; i < 10; i++) {
      reader.poll(out, 5);
    }
    assertThat(out.records.keySet()).containsExactlyInAnyOrder("0 of 3", "1 of 3", "2 of 3");
    assertThat(reader.position()).hasValueSatisfying(at -> assertThat(at).startsWith("index "));
  }

  // --- a source without positions

  /** Emits the numbers up to five and ends. */
  private static final class Numbers implements NonReplayableSource<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return true;
    }

    @Override
    public PollingReader<Integer> open(SourceContext context) {
      return new PollingReader<>() {
        private int next;

        @Override
        public Status poll(SourceOutput<Integer> out, int limit) {
          for (int i = 0; i < limit && next < 5; i++) {
            out.emit(next++);
          }
          return next < 5 ? Status.MORE : Status.END;
        }

        @Override
        public void close() {
          next = -1;
        }
      };
    }
  }

  @Test
  void sourceWithoutPositionsHasOneSplitPerInstanceUntilItEnds() throws Exception {
    Numbers source = new Numbers();
    List<Integer> records = new ArrayList<>();
    SourceReader<Integer, NonReplayableSource.Instance> reader =
        new TestContext(3, 4).start(source);

    assertThat(reader.poll(records::add, 3)).isEqualTo(PollingReader.Status.MORE);
    assertThat(reader.snapshot(1)).containsExactly(new NonReplayableSource.Instance(3));
    assertThat(reader.snapshot(1).get(0).splitId()).isEqualTo("3");
    assertThat(reader.poll(records::add, 3)).isEqualTo(PollingReader.Status.END);
    assertThat(reader.snapshot(2)).as("an ended instance does not start again").isEmpty();
    assertThat(reader.poll(records::add, 3)).isEqualTo(PollingReader.Status.END);
    assertThat(records).containsExactly(0, 1, 2, 3, 4);
    assertThat(reader.position()).isEqualTo(Optional.empty());
    reader.close();
  }

  @Test
  void instanceThatHadEndedReadsNothingAfterARestore() throws Exception {
    SourceReader<Integer, NonReplayableSource.Instance> reader =
        new Numbers().createReader(new TestContext(0, 1));
    reader.addSplits(List.of());

    assertThat(reader.poll(record -> {}, 3)).isEqualTo(PollingReader.Status.END);
  }
}
