package io.millrace.graph;

import io.millrace.api.program.CachedFile;
import io.millrace.api.program.Program;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.JobId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Translates programs into graphs, and graphs into JSON. */
public final class Graphs {
  private Graphs() {}

  /** Resolves parallelism, ids, slot sharing groups and partitioning of all operators. */
  public static StreamGraph streamGraph(Program program) {
    return new StreamGraphGenerator(program).streamGraph();
  }

  /**
   * The program that reads cached data sets instead of computing them; operators that only
   * contribute to these are removed.
   */
  public static Program reusing(Program program, List<CachedDataSet> known) {
    return known.isEmpty() ? program : new CachedResultRewriter(program, known).program();
  }

  /** Chains operators and serialises their functions. Deterministic. */
  public static JobGraph jobGraph(StreamGraph graph, JobId id) {
    return new JobGraphGenerator(graph).jobGraph(id);
  }

  /** Translates a program into a JobGraph. */
  public static JobGraph jobGraph(Program program, JobId id) {
    JobGraph graph = jobGraph(streamGraph(program), id);
    List<JobFile> files = new ArrayList<>();
    for (CachedFile file : program.files()) {
      files.add(file(file, files.size()));
    }
    return graph.withFiles(files);
  }

  private static JobFile file(CachedFile file, int index) {
    FilePath path = FilePath.parse(file.path());
    if (!path.isLocal()) {
      return new JobFile(file.name(), file.path(), false, file.isArchive(), file.isExecutable());
    }
    boolean isDirectory = Files.isDirectory(Path.of(path.path()));
    return new JobFile(
        file.name(),
        "cached-" + index + "-" + path.name() + (isDirectory ? ".zip" : ""),
        true,
        isDirectory || file.isArchive(),
        file.isExecutable());
  }

  /** {@code {"nodes": […]}} with one node per operator, for plan visualisers. */
  public static String json(StreamGraph graph) {
    return PlanJson.of(graph);
  }

  /** Maps, lists, strings, numbers and booleans as JSON. */
  public static String json(Map<String, ?> tree) {
    return JsonWriter.of(tree);
  }

  /** The {@code plan} object of REST with one node per vertex. */
  public static String json(JobGraph graph) {
    return PlanJson.of(graph);
  }
}
