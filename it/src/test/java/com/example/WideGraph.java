package com.example;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;

/** A job with many vertices: lines of rebalanced maps behind one source. */
public final class WideGraph {
  private WideGraph() {}

  /**
   * @param args the number of lines, the number of vertices in each, and the parallelism (1)
   */
  public static void main(String[] args) {
    int lines = Integer.parseInt(args[0]);
    int length = Integer.parseInt(args[1]);
    int parallelism = args.length > 2 ? Integer.parseInt(args[2]) : 1;
    StreamEnvironment env = StreamEnvironment.current().parallelism(parallelism);
    DataStream<Long> source = env.generate(GeneratorSource.of(i -> i).perSecond(10.0));
    for (int i = 0; i < lines; i++) {
      DataStream<Long> line = source.rebalance().map(x -> x).name("line " + i + ", first");
      for (int j = 1; j < length; j++) {
        line = line.rebalance().map(x -> x).name("line " + i + ", step " + j);
      }
      line.sinkTo(new DiscardSink<>());
    }
    env.execute("wide graph");
  }
}
