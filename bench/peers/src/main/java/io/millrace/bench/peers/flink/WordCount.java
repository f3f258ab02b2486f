package io.millrace.bench.peers.flink;

import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.WordTotals;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * W1 (embedded) and the job of W2 (submitted with the CLI): {@code WordCount <file> [submitted]}.
 */
public final class WordCount {
  private WordCount() {}

  public static void main(String[] args) throws Exception {
    boolean embedded = args.length < 2;
    long start = System.nanoTime();
    StreamExecutionEnvironment env =
        embedded
            ? StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration())
            : StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSource(
            FileSource.forRecordStreamFormat(new TextLineInputFormat(), new Path(args[0])).build(),
            WatermarkStrategy.noWatermarks(),
            "file")
        .flatMap(new Throughput.Split())
        .returns(Types.TUPLE(Types.STRING, Types.LONG))
        .keyBy(w -> w.f0, Types.STRING)
        .sum(1)
        .sinkTo(new TotalsSink());
    env.execute("word count");
    if (embedded) {
      new JsonLine("flink", "W1", "embedded")
          .put("mainToResultMs", (System.nanoTime() - start) / 1_000_000)
          .put("words", WordTotals.words())
          .put("total", WordTotals.total())
          .print();
    }
  }

  static final class TotalsSink implements Sink<Tuple2<String, Long>> {
    @Override
    public SinkWriter<Tuple2<String, Long>> createWriter(WriterInitContext context) {
      return new SinkWriter<>() {
        @Override
        public void write(Tuple2<String, Long> element, Context ignored) {
          WordTotals.put(element.f0, element.f1);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
      };
    }
  }
}
