package io.millrace.yarn.client;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.fs.hadoop.HadoopSettings;
import io.millrace.protocol.Messages;
import io.millrace.yarn.launch.ContainerLayout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** What is an application's own and small, as one archive. */
final class ApplicationArchive {
  static final String NAME = "application.zip";

  /** What a user may have said about logging, beside the configuration. */
  private static final String LOGGING = "logback.xml";

  private final Map<String, byte[]> files = new LinkedHashMap<>();

  private ApplicationArchive() {}

  /**
   * @param configuration as the cluster's processes are to have it
   * @param secrets by the place that a container has them at
   * @param environment says where Hadoop's configuration is, and the user's
   */
  static ApplicationArchive of(
      DeploymentSpec plan,
      Configuration configuration,
      Map<String, byte[]> secrets,
      Map<String, String> environment) {
    ApplicationArchive archive = new ApplicationArchive();
    archive.put(
        ContainerLayout.APPLICATION + "/" + ConfigurationFile.NAME,
        ConfigurationFile.text(configuration).getBytes(StandardCharsets.UTF_8));
    for (Path file : HadoopSettings.files(environment)) {
      archive.put(ContainerLayout.HADOOP_CONFIGURATION + "/" + file.getFileName(), read(file));
    }
    plan.graph()
        .ifPresent(
            graph -> archive.put(ContainerLayout.JOB_GRAPH, Messages.graphCodec().encode(graph)));
    secrets.forEach(archive::put);
    logging(environment, ConfigurationFile.home())
        .ifPresent(file -> archive.put(ContainerLayout.APPLICATION + "/" + LOGGING, read(file)));
    return archive;
  }

  /** The user's own, where the configuration is. */
  private static Optional<Path> logging(Map<String, String> environment, Optional<Path> home) {
    String named = environment.getOrDefault(ConfigurationFile.DIRECTORY_VARIABLE, "");
    Optional<Path> directory =
        named.isEmpty() ? home.map(root -> root.resolve("conf")) : Optional.of(Path.of(named));
    return directory.map(conf -> conf.resolve(LOGGING)).filter(Files::exists);
  }

  /** Where a process finds how to log, if somebody said so. */
  Optional<String> logging() {
    return Optional.of(ContainerLayout.APPLICATION + "/" + LOGGING).filter(files::containsKey);
  }

  private void put(String place, byte[] content) {
    files.put(place, content);
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new MillraceException(ErrorKind.USER, file + " cannot be read: " + e, e);
    }
  }

  byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        zip.putNextEntry(
            new ZipEntry(file.getKey().substring(ContainerLayout.APPLICATION.length() + 1)));
        zip.write(file.getValue());
        zip.closeEntry();
      }
    } catch (IOException e) {
      throw new IllegalStateException("Memory can be written to", e);
    }
    return bytes.toByteArray();
  }
}
