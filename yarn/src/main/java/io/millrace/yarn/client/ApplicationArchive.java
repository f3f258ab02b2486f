package io.millrace.yarn.client;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.fs.hadoop.ShippedHadoopFiles;
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

/** The small files of one application, as one archive. */
final class ApplicationArchive {
  /** The logging configuration of the user, beside the configuration file. */
  private static final String LOGGING = "logback.xml";

  private final Map<String, byte[]> files = new LinkedHashMap<>();

  private ApplicationArchive() {}

  /**
   * @param configuration of the cluster's processes
   * @param secrets by their paths in a container
   * @param hadoop whose environment names the directory of the user's configuration
   */
  static ApplicationArchive of(
      DeploymentSpec plan,
      Configuration configuration,
      Map<String, byte[]> secrets,
      HadoopContext hadoop) {
    ApplicationArchive archive = new ApplicationArchive();
    archive.put(
        ContainerLayout.APPLICATION + "/" + ConfigurationFile.NAME,
        ConfigurationFile.text(configuration).getBytes(StandardCharsets.UTF_8));
    ShippedHadoopFiles.of(hadoop.environment(), hadoop.settings())
        .forEach(
            (name, content) ->
                archive.put(ContainerLayout.HADOOP_CONFIGURATION + "/" + name, content));
    plan.graph()
        .ifPresent(
            graph -> archive.put(ContainerLayout.JOB_GRAPH, Messages.graphCodec().encode(graph)));
    secrets.forEach(archive::put);
    loggingFile(hadoop.environment())
        .ifPresent(file -> archive.put(ContainerLayout.APPLICATION + "/" + LOGGING, read(file)));
    return archive;
  }

  /** The file in the directory of the configuration, if there is one. */
  private static Optional<Path> loggingFile(Map<String, String> environment) {
    String named = environment.getOrDefault(ConfigurationFile.DIRECTORY_VARIABLE, "");
    Optional<Path> directory =
        named.isEmpty()
            ? ConfigurationFile.home().map(home -> home.resolve("conf"))
            : Optional.of(Path.of(named));
    return directory.map(conf -> conf.resolve(LOGGING)).filter(Files::exists);
  }

  /** The path of the logging configuration in a container, if there is one. */
  Optional<String> logging() {
    return Optional.of(ContainerLayout.APPLICATION + "/" + LOGGING).filter(files::containsKey);
  }

  private void put(String path, byte[] content) {
    files.put(path, content);
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
      throw new IllegalStateException("A buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }
}
