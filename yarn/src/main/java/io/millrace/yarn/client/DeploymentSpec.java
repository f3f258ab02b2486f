package io.millrace.yarn.client;

import io.millrace.client.FileHashes;
import io.millrace.client.ShippedProgram;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.yarn.launch.ContainerLayout;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A cluster to deploy.
 *
 * @param name of the application, unless the configuration has another
 * @param jars of the program, by their paths in a container
 * @param graph of a per-job cluster
 * @param program of an application
 */
record DeploymentSpec(
    DeploymentMode mode,
    String name,
    Configuration configuration,
    Map<String, URI> jars,
    Optional<JobGraph> graph,
    Optional<ShippedProgram> program) {
  DeploymentSpec {
    Objects.requireNonNull(mode);
    Objects.requireNonNull(name);
    Objects.requireNonNull(configuration);
    jars = OrderedCopies.map(jars);
    Objects.requireNonNull(graph);
    Objects.requireNonNull(program);
  }

  static DeploymentSpec ofJob(JobGraph graph, List<Path> jars, Configuration configuration) {
    Map<String, URI> links = links(jars.stream().map(Path::toUri).toList());
    List<JarFile> named = new ArrayList<>();
    links.forEach(
        (link, jar) ->
            named.add(
                new JarFile(
                    link.substring(link.lastIndexOf('/') + 1), FileHashes.of(Path.of(jar)))));
    return new DeploymentSpec(
        DeploymentMode.PER_JOB,
        graph.name(),
        configuration,
        links,
        Optional.of(graph.withJars(named)),
        Optional.empty());
  }

  static DeploymentSpec ofProgram(ShippedProgram program, Configuration configuration) {
    Map<String, URI> links = links(List.of(program.jar()));
    return new DeploymentSpec(
        DeploymentMode.APPLICATION,
        "Millrace application " + fileName(program.jar()),
        configuration,
        links,
        Optional.empty(),
        Optional.of(program));
  }

  static DeploymentSpec ofSession(Configuration configuration) {
    return new DeploymentSpec(
        DeploymentMode.SESSION,
        "Millrace session",
        configuration,
        new LinkedHashMap<>(),
        Optional.empty(),
        Optional.empty());
  }

  /** The jars by their names. A name that occurs again gets a number as prefix. */
  private static Map<String, URI> links(List<URI> jars) {
    Map<String, URI> links = new LinkedHashMap<>();
    for (URI jar : jars) {
      String name = fileName(jar);
      for (int number = 1; links.containsKey(ContainerLayout.USER_JARS + "/" + name); number++) {
        name = number + "-" + fileName(jar);
      }
      links.put(ContainerLayout.USER_JARS + "/" + name, jar);
    }
    return links;
  }

  private static String fileName(URI jar) {
    return jar.getPath().substring(jar.getPath().lastIndexOf('/') + 1);
  }

  /** The arguments of the main class. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    program.ifPresent(
        shipped -> {
          arguments.add("--");
          arguments.add(shipped.mainClass().orElse("-"));
          arguments.add(jars.keySet().iterator().next());
          arguments.addAll(shipped.arguments());
        });
    return arguments;
  }
}
