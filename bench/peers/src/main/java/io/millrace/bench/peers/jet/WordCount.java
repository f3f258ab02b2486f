package io.millrace.bench.peers.jet;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Traversers;
import com.hazelcast.jet.aggregate.AggregateOperations;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.pipeline.Pipeline;
import com.hazelcast.jet.pipeline.Sinks;
import com.hazelcast.jet.pipeline.Sources;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.WordTotals;
import java.nio.file.Path;
import java.util.Map;

/** W1: {@code WordCount <file> <alone|discovery>}. */
public final class WordCount {
  private WordCount() {}

  public static void main(String[] args) {
    long start = System.nanoTime();
    Path file = Path.of(args[0]).toAbsolutePath();
    HazelcastInstance member = Member.start(args[1].equals("alone"));
    long up = System.nanoTime();
    Pipeline pipeline = Pipeline.create();
    pipeline
        .readFrom(
            Sources.filesBuilder(file.getParent().toString())
                .glob(file.getFileName().toString())
                .build())
        .flatMap(line -> Traversers.traverseArray(line.split(" ")))
        .groupingKey(word -> word)
        .aggregate(AggregateOperations.counting())
        .writeTo(Sinks.fromProcessor("totals", ProcessorMetaSupplier.of(TotalsP::new)));
    member.getJet().newJob(pipeline).join();
    new JsonLine("jet", "W1", "embedded-" + args[1])
        .put("mainToResultMs", (System.nanoTime() - start) / 1_000_000)
        .put("memberUpMs", (up - start) / 1_000_000)
        .put("words", WordTotals.words())
        .put("total", WordTotals.total())
        .print();
    member.shutdown();
  }

  static final class TotalsP extends AbstractProcessor {
    @Override
    protected boolean tryProcess(int ordinal, Object item) {
      @SuppressWarnings("unchecked")
      Map.Entry<String, Long> entry = (Map.Entry<String, Long>) item;
      WordTotals.put(entry.getKey(), entry.getValue());
      return true;
    }
  }
}
