package io.millrace.graph;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Chaining;
import io.millrace.api.program.OperatorSettings;
import io.millrace.api.program.Program;
import io.millrace.api.program.Routing;
import io.millrace.api.program.Transformation;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.config.SensitiveValues;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Translates a program into a StreamGraph. */
final class StreamGraphGenerator {
  private static final String DEFAULT_GROUP = "default";

  private final Program program;
  private final OperatorIds ids = new OperatorIds();
  private final List<StreamNode> nodes = new ArrayList<>();
  private final List<StreamEdge> edges = new ArrayList<>();

  /** The declared resources of slot sharing groups. */
  private final Map<String, ResourceProfile> resources = new LinkedHashMap<>();

  /** The node of each operator transformation. */
  private final Map<Integer, Integer> nodeOf = new HashMap<>();

  /**
   * An output of a producer that reaches a consumer, with the routing in between, if any.
   *
   * @param input the input of the consumer
   */
  private record Inflow(int input, int node, String outputTag, Optional<Routing> routing) {}

  StreamGraphGenerator(Program program) {
    this.program = program;
  }

  StreamGraph streamGraph() {
    for (int i = 0; i < program.transformations().size(); i++) {
      if (program.transformations().get(i) instanceof Transformation.Operator operator) {
        translate(i, operator);
      }
    }
    boolean batch = program.configuration().get(ExecutionOptions.RUNTIME_MODE) == RuntimeMode.BATCH;
    return new StreamGraph(
        program.name(),
        batch ? JobType.BATCH : JobType.STREAMING,
        nodes,
        edges,
        resources,
        withoutSecrets(program.configuration()),
        program.serializers());
  }

  /**
   * Removes keys and passwords of the client. The graph is stored and sent to every TaskManager of
   * the job, and the processes of the cluster have their own.
   */
  private static Configuration withoutSecrets(Configuration configuration) {
    Map<String, String> kept = new LinkedHashMap<>(configuration.entries());
    kept.entrySet()
        .removeIf(
            entry ->
                entry.getKey().startsWith("security.")
                    || !SensitiveValues.shown(entry.getKey(), entry.getValue())
                        .equals(entry.getValue()));
    return new Configuration(kept);
  }

  private void translate(int position, Transformation.Operator operator) {
    List<Inflow> inflows = new ArrayList<>();
    for (int input = 0; input < operator.inputs().size(); input++) {
      resolve(input, operator.inputs().get(input), Optional.empty(), inflows);
    }
    String name = displayName(operator);
    if (operator.spec() instanceof OperatorSpec.Cache) {
      refuseEndless(operator, name);
    }
    int parallelism = parallelism(operator, name, inflows);
    List<StreamEdge> inputs = new ArrayList<>();
    for (Inflow inflow : inflows) {
      inputs.add(edge(inflow, nodes.size(), name, parallelism));
    }
    StreamNode node =
        new StreamNode(
            ids.idOf(operator, name, inputs, nodes),
            name,
            operator.spec(),
            parallelism,
            maxParallelism(operator.settings(), name, parallelism),
            group(operator.settings(), inputs),
            operator.settings().chaining(),
            operator.settings().description().orElse(name),
            operator.line());
    if (operator.spec() instanceof OperatorSpec.Source source
        && source.source() instanceof EnumeratedSource<Object, ?, ?> enumerated) {
      inputs.add(enumerator(operator.name(), enumerated, node));
    }
    nodeOf.put(position, nodes.size());
    nodes.add(node);
    edges.addAll(inputs);
    if (operator.spec() instanceof OperatorSpec.Sink sink
        && sink.sink() instanceof GlobalCommittingSink<Object, ?> committing) {
      edges.add(globalCommitter(operator.name(), committing, node));
    }
  }

  /** Adds the global committer of a sink behind its writers; returns the edge between them. */
  private StreamEdge globalCommitter(
      String name, GlobalCommittingSink<Object, ?> sink, StreamNode writers) {
    int position = nodes.size();
    nodes.add(
        new StreamNode(
            OperatorIds.globalCommitterOf(writers.id()),
            "Committer: " + name,
            new OperatorSpec.GlobalCommit(sink),
            1,
            writers.maxParallelism(),
            writers.slotSharingGroup(),
            Chaining.NEVER));
    return new StreamEdge(position - 1, position, 0, "", Partitioning.REBALANCE, Optional.empty());
  }

  /** Adds the enumerator of a source before its readers; returns the edge between them. */
  private StreamEdge enumerator(
      String name, EnumeratedSource<Object, ?, ?> source, StreamNode readers) {
    int position = nodes.size();
    nodes.add(
        new StreamNode(
            OperatorIds.enumeratorOf(readers.id()),
            "Enumerator: " + name,
            new OperatorSpec.Enumerate(source),
            1,
            readers.maxParallelism(),
            readers.slotSharingGroup(),
            Chaining.NEVER));
    return new StreamEdge(
        position,
        position + 1,
        0,
        "",
        Partitioning.CUSTOM,
        Optional.of(SplitRouting.partitioning()));
  }

  /** Follows unions and routes to operators; the routing next to the consumer counts. */
  private void resolve(int input, int position, Optional<Routing> routing, List<Inflow> inflows) {
    Transformation transformation = program.transformations().get(position);
    if (transformation instanceof Transformation.Operator) {
      inflows.add(new Inflow(input, nodeOf.get(position), "", routing));
    } else if (transformation instanceof Transformation.SideOutput side) {
      inflows.add(new Inflow(input, nodeOf.get(side.input()), side.tag(), routing));
    } else if (transformation instanceof Transformation.Route route) {
      resolve(input, route.input(), routing.or(() -> Optional.of(route.routing())), inflows);
    } else if (transformation instanceof Transformation.Union union) {
      union.inputs().forEach(each -> resolve(input, each, routing, inflows));
    } else {
      throw new IllegalStateException("Unknown transformation " + transformation);
    }
  }

  private StreamEdge edge(Inflow inflow, int target, String name, int parallelism) {
    StreamNode source = nodes.get(inflow.node());
    boolean even = source.parallelism() == parallelism;
    if (inflow.routing().isEmpty()) {
      return new StreamEdge(
          inflow.node(),
          target,
          inflow.input(),
          inflow.outputTag(),
          even ? Partitioning.FORWARD : Partitioning.REBALANCE,
          Optional.empty());
    }
    Routing routing = inflow.routing().get();
    Partitioning partitioning;
    Optional<Serializable> selector = Optional.empty();
    if (routing instanceof Routing.Forward) {
      if (!even) {
        throw new MillraceException(
            ErrorKind.USER,
            "forward() from '"
                + source.name()
                + "' (parallelism "
                + source.parallelism()
                + ") to '"
                + name
                + "' (parallelism "
                + parallelism
                + ") is not possible: both must have the same parallelism. Set the same parallelism or"
                + " use rescale() or rebalance().");
      }
      partitioning = Partitioning.FORWARD;
    } else if (routing instanceof Routing.Rebalance) {
      partitioning = Partitioning.REBALANCE;
    } else if (routing instanceof Routing.Rescale) {
      partitioning = Partitioning.RESCALE;
    } else if (routing instanceof Routing.Shuffle) {
      partitioning = Partitioning.SHUFFLE;
    } else if (routing instanceof Routing.Broadcast) {
      partitioning = Partitioning.BROADCAST;
    } else if (routing instanceof Routing.Keyed keyed) {
      partitioning = Partitioning.HASH;
      try {
        KeyTypes.check(keyed.key());
      } catch (UnsupportedKeyException e) {
        throw e.toUserError("The keyBy before '" + name + "' has an unsupported key. ");
      }
      selector = Optional.of(keyed.key());
    } else if (routing instanceof Routing.Custom custom) {
      partitioning = Partitioning.CUSTOM;
      selector = Optional.of(new CustomPartitioning(custom.key(), custom.partitioner()));
    } else {
      throw new IllegalStateException("Unknown routing " + routing);
    }
    return new StreamEdge(
        inflow.node(), target, inflow.input(), inflow.outputTag(), partitioning, selector);
  }

  private static String displayName(Transformation.Operator operator) {
    if (operator.spec() instanceof OperatorSpec.Source
        || operator.spec() instanceof OperatorSpec.ReadCached) {
      return "Source: " + operator.name();
    }
    boolean sink =
        operator.spec() instanceof OperatorSpec.Sink
            || operator.spec() instanceof OperatorSpec.Collect;
    return sink ? "Sink: " + operator.name() : operator.name();
  }

  /** Refuses to cache the result of an unbounded source, which is never complete. */
  private void refuseEndless(Transformation.Operator cache, String name) {
    List<Transformation> open = new ArrayList<>(List.of(cache));
    while (!open.isEmpty()) {
      Transformation next = open.remove(open.size() - 1);
      if (next instanceof Transformation.Operator operator
          && operator.spec() instanceof OperatorSpec.Source source
          && !source.source().isBounded()) {
        throw new MillraceException(
            ErrorKind.USER,
            "'"
                + name
                + "' cannot be cached, because source '"
                + operator.name()
                + "' is unbounded. Bound the source, or remove cache().");
      }
      next.inputs().forEach(input -> open.add(program.transformations().get(input)));
    }
  }

  /** The default parallelism of an operator. A cache has that of its producer. */
  private int usualParallelism(Transformation.Operator operator, List<Inflow> inflows) {
    if (operator.spec() instanceof OperatorSpec.ReadCached read) {
      return read.places().size();
    }
    if (operator.spec() instanceof OperatorSpec.Cache
        && inflows.size() == 1
        && inflows.get(0).routing().isEmpty()) {
      return nodes.get(inflows.get(0).node()).parallelism();
    }
    return program.configuration().get(CoreOptions.DEFAULT_PARALLELISM);
  }

  private int parallelism(Transformation.Operator operator, String name, List<Inflow> inflows) {
    boolean explicit = operator.settings().parallelism().isPresent();
    int wanted =
        operator.settings().parallelism().orElseGet(() -> usualParallelism(operator, inflows));
    if (wanted < 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "Parallelism is at least 1; "
              + wanted
              + " is set for '"
              + name
              + "' ("
              + CoreOptions.DEFAULT_PARALLELISM.key()
              + " or -p).");
    }
    int most =
        operator.spec() instanceof OperatorSpec.Source source
            ? source.source().maxParallelism()
            : Integer.MAX_VALUE;
    if (wanted <= most) {
      return wanted;
    }
    if (explicit) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + name
              + "' can be shared by at most "
              + most
              + " parallel instances, but the program asks for "
              + wanted
              + ". Lower its parallelism and rebalance() behind it.");
    }
    return most;
  }

  private int maxParallelism(OperatorSettings settings, String name, int parallelism) {
    int configured = program.configuration().get(PipelineOptions.MAX_PARALLELISM);
    int most =
        settings
            .maxParallelism()
            .orElse(configured > 0 ? configured : MaxParallelism.derivedFrom(parallelism));
    if (most > MaxParallelism.UPPER_BOUND || parallelism > most) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + name
              + "' has parallelism "
              + parallelism
              + " and max parallelism "
              + most
              + "; the first may not exceed the second and that not "
              + MaxParallelism.UPPER_BOUND
              + ". Lower the parallelism or set "
              + PipelineOptions.MAX_PARALLELISM.key()
              + ".");
    }
    return most;
  }

  private String group(OperatorSettings settings, List<StreamEdge> inputs) {
    if (settings.slotSharingGroup().isPresent()) {
      SlotSharingGroup group = settings.slotSharingGroup().get();
      if (!group.resources().isUnspecified()) {
        ResourceProfile said = resources.putIfAbsent(group.name(), group.resources());
        if (said != null && !said.equals(group.resources())) {
          throw new MillraceException(
              ErrorKind.USER,
              "Slot sharing group '"
                  + group.name()
                  + "' is declared with "
                  + said
                  + " and with "
                  + group.resources()
                  + ". Declare its resources once, or use another name for the second group.");
        }
      }
      return group.name();
    }
    List<String> groups =
        inputs.stream()
            .map(edge -> nodes.get(edge.source()).slotSharingGroup())
            .distinct()
            .toList();
    return groups.size() == 1 ? groups.get(0) : DEFAULT_GROUP;
  }
}
