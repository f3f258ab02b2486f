package io.millrace.bench.works;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * W13: both engines read the same topic and write to a topic of their own, which is checked
 * afterwards. The broker and its input serve all runs.
 */
final class KafkaWork {
  /** What the name of the output topic of the warm-up ends with. */
  static final String WARM_UP = "-warm-up";

  private static final String INPUT = "payloads";
  private static final Pattern BROKER = Pattern.compile("pid (\\d+), (\\S+)");
  private static final int MILLION = 1_000_000;

  private static KafkaWork shared;

  private final Engines engines;
  private final String servers;
  private final String brokerPid;
  private final String records;
  private int runs;

  private KafkaWork(Engines engines, Path directory) throws IOException, InterruptedException {
    this.engines = engines;
    this.records = String.valueOf((long) engines.millionRecords(60) * MILLION);
    String status = engines.tool("kafka", "start", "--dir", directory.toString()).output();
    Matcher broker = BROKER.matcher(status);
    if (!broker.find()) {
      throw new IOException("The address of the broker is not known: " + status);
    }
    brokerPid = broker.group(1);
    servers = broker.group(2);
    topicTool("fill", INPUT, records);
  }

  static Map<String, Double> run(String contestant, Engines engines)
      throws IOException, InterruptedException {
    if (shared == null) {
      Path directory = Files.createTempDirectory("millrace-bench-kafka");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(engines, directory)));
      shared = new KafkaWork(engines, directory);
    }
    return shared.run(contestant);
  }

  private Map<String, Double> run(String contestant) throws IOException, InterruptedException {
    String output = "counts-" + contestant + "-" + ++runs;
    topicTool("create", output);
    topicTool("create", output + WARM_UP);
    Path checkpoints = Files.createTempDirectory("millrace-bench-checkpoints");
    List<String> jvm = SteadyStateWorks.jvm(engines);
    jvm.add("-Dcheckpoints=" + checkpoints);
    String[] arguments = {servers, INPUT, records, output, brokerPid};
    Map<String, Double> figures = new LinkedHashMap<>();
    try {
      Engines.Timed timed =
          contestant.equals("flink")
              ? engines.flink(jvm, "io.millrace.bench.peers.flink.Kafka", arguments)
              : engines.oursWithKafka(jvm, KafkaRun.class.getName(), arguments);
      figures.putAll(timed.numbers());
    } finally {
      SteadyStateWorks.delete(checkpoints);
    }
    topicTool("check", output + WARM_UP, records);
    figures.putAll(topicTool("check", output, records));
    if (figures.get("commits") < 2) {
      throw new IOException("Only " + figures.get("commits") + " transactions were committed");
    }
    return SteadyStateWorks.checked(figures, (in, out) -> out > 0);
  }

  private Map<String, Double> topicTool(String command, String topic, String... more)
      throws IOException, InterruptedException {
    String[] arguments = new String[3 + more.length];
    arguments[0] = command;
    arguments[1] = servers;
    arguments[2] = topic;
    System.arraycopy(more, 0, arguments, 3, more.length);
    return engines.oursWithKafka(List.of("-Xmx1g"), TopicTool.class.getName(), arguments).numbers();
  }

  private static void remove(Engines engines, Path directory) {
    try {
      engines.tool("kafka", "stop", "--dir", directory.toString());
      SteadyStateWorks.delete(directory);
    } catch (IOException e) {
      System.err.println("bench: " + directory + " was not removed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
